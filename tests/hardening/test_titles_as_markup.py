"""A title is words, whatever brackets stand in it."""

from __future__ import annotations

import pytest
from cli.conftest import Stone

from hardening.conftest import sound


@pytest.mark.parametrize("title", ["LeNet [/x] on MNIST", "[red]A[/red] line", "[bold", ":smile:"])
def test_a_title_is_shown_as_it_is_written(stone: Stone, changed, title: str) -> None:
    path = changed("A line", title)
    for words in (
        ("prove", path, "-d", "null"),
        ("compare", path, "-d", "null", "--budget", "1s"),
        ("show",),
    ):
        said = sound(stone(*words))
        assert said.code == 0
        assert title in said.out


@pytest.mark.parametrize(
    "words",
    [
        ("translate", "[/x]", "--to", "null"),
        ("prove", "lenet", "-d", "[/x]"),
        ("show", "[/x]"),
        ("list", "[/x]"),
        ("data", "get", "[/x]"),
        ("env", "remove", "[/x]"),
    ],
)
def test_a_word_in_brackets_is_repeated_in_the_message(stone: Stone, words) -> None:
    said = sound(stone(*words))
    assert said.code == 2
    assert "[/x]" in said.err
