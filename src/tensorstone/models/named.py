"""Whole numbers that remember how they were written.

A block such as an inception module is a function of its widths. Its parameters are `Named`
integers: they count like any other number, so shapes are inferred as usual, and they know their
own name, so an emitted program can say `nn.Conv2d(in_channels, c1, 1)` once instead of nine times
with numbers in it.
"""

from __future__ import annotations

import ast


class Named(int):
    """An int with the source expression it stands for."""

    text: str

    def __new__(cls, value: int, text: str) -> Named:
        number = super().__new__(cls, value)
        number.text = text
        return number

    def _joined(self, value: int, left: int, sign: str, right: int) -> Named:
        return Named(value, f"{_operand(left, sign)} {sign} {_operand(right, sign)}")

    def __add__(self, other: int) -> Named:
        return self._joined(int(self) + int(other), self, "+", other)

    def __radd__(self, other: int) -> Named:
        return self._joined(int(other) + int(self), other, "+", self)

    def __sub__(self, other: int) -> Named:
        return self._joined(int(self) - int(other), self, "-", other)

    def __mul__(self, other: int) -> Named:
        return self._joined(int(self) * int(other), self, "*", other)

    def __rmul__(self, other: int) -> Named:
        return self._joined(int(other) * int(self), other, "*", self)

    def __floordiv__(self, other: int) -> Named:
        return self._joined(int(self) // int(other), self, "//", other)


def source(number: int) -> str:
    """The number as it should be written in a program."""
    return number.text if isinstance(number, Named) else repr(int(number))


def plain(number: int) -> int:
    """The number without its name."""
    return int(number)


def _operand(number: int, sign: str) -> str:
    text = source(number)
    compound = isinstance(ast.parse(text, mode="eval").body, ast.BinOp)
    # Sums chain without brackets; anything else keeps its own grouping.
    return f"({text})" if compound and not (sign == "+" and "*" not in text) else text
