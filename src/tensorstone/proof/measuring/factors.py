"""A fitted number in words: as the round value it is within its precision, else as measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

_FRACTIONS = {f"{n}/{d}": n / d for d in (3, 6, 7, 9, 11, 12) for n in range(1, d) if n < 3}
_EXACT_ENOUGH = 1e-3  # relative; a coarser number imitates any fraction


def said(value: float, precision: float, named: Mapping[str, float] | None = None) -> str:
    """`value`, known to `precision` (relative), by its name or with as few digits as it has."""
    name = name_of(value, precision, named or {})
    if name:
        return name
    for digits in (1, 2, 3):
        short = float(f"{value:.{digits}g}")
        if close(value, short, precision):
            return f"{short:g}"
    return (precision < _EXACT_ENOUGH and name_of(value, precision, _FRACTIONS)) or f"{value:.4g}"


def name_of(value: float, precision: float, named: Mapping[str, float]) -> str:
    """The name of the one it is, or nothing."""
    return next((name for name, known in named.items() if close(value, known, precision)), "")


def close(value: float, known: float, precision: float) -> bool:
    return abs(value - known) <= max(2 * precision, 1e-12) * abs(known)


def is_round(value: float, precision: float) -> bool:
    """One digit that is 1, 2, 2.5 or 5: what a person would write for a threshold."""
    short = float(f"{value:.2g}")
    leading = f"{short:e}".split("e")[0].rstrip("0").rstrip(".")
    return leading in {"1", "2", "2.5", "5", "1.5", "3"} and close(value, short, precision)


def times(factor: float, precision: float, named: Mapping[str, float] | None = None) -> str:
    """What a factor makes of something: "half of", "twice", "the negative of", "0.3 times"."""
    if close(factor, 0.5, precision):
        return "half of"
    if close(factor, 2.0, precision):
        return "twice"
    if close(factor, -1.0, precision):
        return "the negative of"
    return f"{said(factor, precision, named)} times"


def listed(words: Iterable[str], most: int = 4) -> str:
    """ "a, b and c"; only how many where there are more than `most`."""
    found = list(words)
    if len(found) > most:
        return f"{', '.join(found[: most - 1])} and {len(found) - most + 1} more"
    return " and ".join(filter(None, (", ".join(found[:-1]), found[-1])))
