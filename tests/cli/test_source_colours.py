"""Coloured programs can be read on a black terminal and on a white one."""

from __future__ import annotations

import re

import pytest

from tensorstone.cli.source import COLOURS, coloured


def luminance(colour: str) -> float:
    """As WCAG has it."""
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("name", COLOURS)
def test_every_colour_stands_out_from_black_and_from_white(name: str) -> None:
    level = luminance(COLOURS[name].split()[-1])
    assert (level + 0.05) / 0.05 > 3.5, "on black"
    assert 1.05 / (level + 0.05) > 3.5, "on white"


def test_special_names_have_the_terminal_s_own_colour() -> None:
    shown = coloured('if __name__ == "__main__":\n    main()\n')
    assert "__name__" in re.sub(r"\x1b\[[\d;]*m", "", shown)
    assert " __name__ " in shown, "no code before it"
