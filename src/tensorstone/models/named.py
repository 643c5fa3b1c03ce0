"""Whole numbers that remember how they were written.

A block such as an inception module is a function of its widths. Its parameters are `Named`
integers: they count like any other number, so shapes are inferred as usual, and they know their
own name, so an emitted program can say `nn.Conv2d(in_channels, c1, 1)` once instead of nine times
with numbers in it.
"""

from __future__ import annotations

import ast
import operator
from functools import cache


class Named(int):
    """An int with the source expression it stands for."""

    text: str

    def __new__(cls, value: int, text: str) -> Named:
        number = super().__new__(cls, value)
        number.text = text
        return number

    def _joined(self, left: int, sign: str, right: int) -> Named:
        """The result of an operation, or NotImplemented where the other side is no whole number."""
        if not isinstance(left, int) or not isinstance(right, int):
            return NotImplemented
        value = _OPERATIONS[sign](int(left), int(right))
        return Named(value, f"{_bracketed(left, sign)} {sign} {_bracketed(right, sign, True)}")

    def __add__(self, other: int) -> Named:
        return self._joined(self, "+", other)

    def __radd__(self, other: int) -> Named:
        return self._joined(other, "+", self)

    def __sub__(self, other: int) -> Named:
        return self._joined(self, "-", other)

    def __rsub__(self, other: int) -> Named:
        return self._joined(other, "-", self)

    def __mul__(self, other: int) -> Named:
        return self._joined(self, "*", other)

    def __rmul__(self, other: int) -> Named:
        return self._joined(other, "*", self)

    def __floordiv__(self, other: int) -> Named:
        return self._joined(self, "//", other)

    def __rfloordiv__(self, other: int) -> Named:
        return self._joined(other, "//", self)


_OPERATIONS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
}
_TIGHT = (ast.Mult, ast.FloorDiv)  # bind before + and −


def source(number: int) -> str:
    """The number as it should be written in a program."""
    return number.text if isinstance(number, Named) else repr(int(number))


def plain(number: int) -> int:
    """The number without its name."""
    return int(number)


def restated(number: int, names: dict[str, int]) -> int:
    """The number said in other words: each name replaced by what it stands for outside.

    A block's result of `c1 + c2` channels becomes `64 + 2 * width` where it was used so.
    """
    if not isinstance(number, Named) or not free_names(number) <= names.keys():
        return plain(number)
    result: int = eval(number.text, {"__builtins__": {}}, names)
    return result


def free_names(number: int) -> set[str]:
    """The names a number is written with."""
    return {node.id for node in ast.walk(_parsed(source(number))) if isinstance(node, ast.Name)}


@cache
def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _bracketed(number: int, sign: str, right: bool = False) -> str:
    """An operand, in brackets where the text would otherwise mean something else."""
    text = source(number)
    body = _parsed(text)
    if not isinstance(body, ast.BinOp):
        return text
    tight = isinstance(body.op, _TIGHT)
    if sign in ("*", "//") and not tight:
        return f"({text})"
    same = tight == (sign in ("*", "//"))
    harmless = sign == "+" or (sign == "*" and _only_products(body))
    return f"({text})" if right and same and not harmless else text


def _only_products(body: ast.expr) -> bool:
    return not any(isinstance(node, ast.FloorDiv) for node in ast.walk(body))
