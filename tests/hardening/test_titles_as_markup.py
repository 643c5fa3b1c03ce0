"""A title is words, whatever brackets stand in it."""

from __future__ import annotations

import pytest
from cli.conftest import Stone

from hardening.conftest import sound


@pytest.mark.parametrize("title", ["LeNet [/x] on MNIST", "[red]A[/red] line", "[bold", ":smile:"])
def test_a_title_is_shown_as_it_is_written(stone: Stone, changed, title: str) -> None:
    path = changed("A line", title)
    for words in (("prove", path, "-d", "null"), ("show",)):
        said = sound(stone(*words))
        assert said.code == 0
        assert title in said.out
    for words in (
        ("compare", path, "-d", "null", "--budget", "1s"),
        ("show", "--notes"),
        ("show", "--proofs"),
        ("export", "1"),
        ("train", path, "-d", "null", "--data", "synthetic"),
        ("translate", path, "--to", "null"),
    ):
        assert sound(stone(*words)).code in (0, 1)
    said = sound(stone("show", "[/x]"))
    assert said.code == 2
    assert "[/x]" in said.err


@pytest.mark.parametrize(
    "words",
    [
        ("translate", "[/x]", "--to", "null"),
        ("prove", "lenet", "-d", "[/x]"),
        ("list", "[/x]"),
        ("data", "get", "[/x]"),
        ("env", "remove", "[/x]"),
    ],
)
def test_a_word_in_brackets_is_repeated_in_the_message(stone: Stone, words) -> None:
    said = sound(stone(*words))
    assert said.code == 2
    assert "[/x]" in said.err
