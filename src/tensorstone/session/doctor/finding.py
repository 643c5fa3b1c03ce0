"""One thing the doctor found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

GIB = 2**30


@dataclass(frozen=True)
class Finding:
    """`state`: good; a note, worth knowing and no worse for the numbers; a warning that numbers
    will be worse for it; or bad: something cannot run."""

    what: str
    state: Literal["good", "note", "warning", "bad"]
    found: str
    advice: str = ""
