"""Fitted numbers as a person writes them: round ones by their formula, others as measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from tensorstone.proof.measuring.sentence import residual

Constant = tuple[str, float]  # as it is written, and its value
_NEAR = 1e-3


def said(value: float) -> str:
    """A measured number, of no formula that we know."""
    return f"about {value:.4g}"


def listed(values: Sequence[float], most: int = 8) -> str:
    shown = ", ".join(f"{value:.4g}" for value in values[:most])
    return shown if len(values) <= most else f"{shown}, …"


def rounded(
    value: float,
    compute: Callable[[float], np.ndarray],
    observed: np.ndarray,
    tolerance: float,
    sizes: Sequence[int] = (),
) -> Constant:
    """The round number near a fitted value that explains what was observed as well as it does."""
    allowed = max(2 * residual(observed, compute(value)), 1e-2 * tolerance)
    for text, number in round_numbers(value, sizes):
        if residual(observed, compute(number)) <= allowed:
            return text, number
    return said(value), value


def round_numbers(value: float, sizes: Sequence[int] = ()) -> Iterator[Constant]:
    """Round numbers near a value, the plainest first."""
    if not value or not math.isfinite(value):
        return
    for text, number in _positive(abs(value), sizes):
        if abs(number / abs(value) - 1) <= _NEAR:
            yield (text, number) if value > 0 else (f"−{text}", -number)


def _positive(value: float, sizes: Sequence[int]) -> Iterator[Constant]:
    for digits in (1, 2):
        number = float(f"{value:.{digits - 1}e}")
        yield f"{number:g}", number
    for size in sizes:
        if size > 1:
            yield f"1/{size}", 1 / size
            yield f"{size}", float(size)
            yield f"√{size}", math.sqrt(size)
            yield f"1/√{size}", 1 / math.sqrt(size)
            yield f"{size}/{size - 1}", size / (size - 1)
            yield f"{size - 1}/{size}", (size - 1) / size
    yield from _known()
    for below in range(2, 13):
        above = round(value * below)
        if above and math.gcd(above, below) == 1 and above < 100:
            yield f"{above}/{below}", above / below
    below = round(1 / value) if value < 1 else 0
    if 1 < below <= 1024:
        yield f"1/{below}", 1 / below
    number = float(f"{value:.2e}")
    yield f"{number:g}", number


def _known() -> Iterator[Constant]:
    yield from (("1/255", 1 / 255), ("1/256", 1 / 256), ("2/255", 2 / 255), ("255", 255.0))
    yield from (("√2", math.sqrt(2)), ("1/√2", math.sqrt(0.5)), ("π", math.pi), ("256", 256.0))
    yield from (
        ("1/ln 2", 1 / math.log(2)),
        ("ln 2", math.log(2)),
        ("√(2/π)", math.sqrt(2 / math.pi)),
    )
    yield from (("1.702", 1.702),)
