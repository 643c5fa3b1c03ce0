"""What the shell offers when Tab is pressed."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from cli.conftest import TESTS


def offered(*words: str) -> list[str]:
    """The completions of the last word."""
    line = " ".join(("stone", *words))
    run = subprocess.run(
        [sys.executable, "-m", "tensorstone"],
        env=os.environ
        | {"PYTHONPATH": str(TESTS.parent / "src")}
        | {"_STONE_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words))},
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout.split()


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (("com",), {"compare"}),
        (("compare", "len"), {"lenet"}),
        (("prove", "lenet", "--dialects", "pytorch/e"), {"pytorch/eager"}),
        (("translate", "len"), {"lenet"}),
        (("translate", "lenet", "--to", "pytorch/e"), {"pytorch/eager"}),
        (("describe", "len"), {"lenet"}),
        (("run-program", "len"), {"lenet"}),
        (("run-program", "lenet", "pytorch/e"), {"pytorch/eager"}),
        (("run-program", "lenet", "jax/flax", "--data", "mn"), {"mnist"}),
        (("data", "export", "fash"), {"fashion-mnist"}),
        (("prove", "lenet", "--dialects", "jax/flax,pytorch/e"), {"jax/flax,pytorch/eager"}),
    ],
)
def test_what_is_offered(words: tuple[str, ...], wanted: set[str]) -> None:
    assert set(offered(*words)) == wanted


def test_the_shell_is_left_to_offer_files() -> None:
    assert offered("compare", "./m") == []
