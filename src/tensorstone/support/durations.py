"""Durations and shares as a person types them."""

from __future__ import annotations

import re

from tensorstone.support import messages
from tensorstone.support.errors import StoneError

LARGEST = 10**9
LONGEST_S = 366 * 86400.0
_UNITS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*(s|min|m|h)?")


def seconds(text: str) -> float:
    """`90`, `90s`, `5m`, `1h30m` as seconds."""
    parts = _PART.findall(text)
    said = "".join(number + unit for number, unit in parts)
    total = sum(float(number) * _UNITS[unit or "s"] for number, unit in parts)
    if said != text.replace(" ", "") or total <= 0:
        raise StoneError(*messages.not_a_duration(text))
    if total > LONGEST_S:
        raise StoneError(*messages.duration_too_long(text))
    return total


def share(text: str) -> float:
    """`2%` or `0.02` as 0.02."""
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        value = 0.0
    if not 0 < value < 1:
        raise StoneError(*messages.not_a_precision(text))
    return value


def numbers(text: str, what: str) -> list[int]:
    """`1,8,32` as a list, each once, smallest first."""
    try:
        found = sorted({int(word) for word in text.replace(",", " ").split()})
    except ValueError:
        found = [0]
    if found and not 1 <= found[0] <= found[-1] <= LARGEST:
        raise StoneError(*messages.not_numbers(text, what))
    return found


def duration(seconds: float) -> str:
    """As a person says it: 45 s, 3 min, 2 min 30 s, 2 h 5 min."""
    if seconds < 10:
        return f"{seconds:.2g} s"
    minutes, rest = divmod(round(seconds), 60)
    if not minutes:
        return f"{rest} s"
    hours, minutes = divmod(minutes, 60) if minutes >= 120 else (0, minutes)
    if hours:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    return f"{minutes} min {rest} s" if rest else f"{minutes} min"
