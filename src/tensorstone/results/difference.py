"""How two runs of one workload differ: in what they measured, and in what they were."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from tensorstone.results.estimate import Estimate
from tensorstone.results.run import RunFacts

# Where the variation between two runs of one and the same program is known from: how far other
# cells moved of which nothing had changed; what equals differed by within each run (A/A control,
# noise floor); or nothing, and a figure is assumed.
Source = Literal["unchanged-cells", "noise-floor", "assumed"]


class Change(Struct, frozen=True):
    """One thing that was different; empty where it was not there."""

    what: str
    old: str
    new: str


class BetweenRuns(Struct, frozen=True):
    """How much two runs of equals may differ, on the log scale: 0.02 is about 2 %.

    `value` is the root mean square of how far unchanged cells moved, or else a half-width.
    """

    source: Source
    value: float
    cells: int = 0  # unchanged ones that it is taken from
    floor: float = 0.0  # then still never less than this, by what is known of each run


class CellDifference(Struct, frozen=True):
    """One dialect in both runs. Seconds are of one training step, the mean over rounds."""

    dialect: str
    old_status: str | None = None  # None: it was not in that run
    new_status: str | None = None
    old_s: float | None = None
    new_s: float | None = None
    old_rounds: int = 0
    new_rounds: int = 0
    ratio: Estimate | None = None  # new / old
    differs: bool | None = None  # None: that cannot be said
    between: BetweenRuns | None = None
    changes: tuple[Change, ...] = ()
    unchanged: bool = False  # nothing that could change its speed is known to have changed
    text: tuple[str, ...] = ()  # the programs' unified diff

    @property
    def added(self) -> int:
        """Lines that only the new program has."""
        return sum(line.startswith("+") for line in self.text[2:])

    @property
    def removed(self) -> int:
        """Lines that only the old program has."""
        return sum(line.startswith("-") for line in self.text[2:])


class Difference(Struct, frozen=True):
    """Two runs; `changes` are of the runs as wholes."""

    old: RunFacts
    new: RunFacts
    changes: tuple[Change, ...]
    cells: tuple[CellDifference, ...]
