"""What is made of a run: cells that are ranked, and everything said beside them."""

from __future__ import annotations

from math import isfinite

from msgspec import Struct

from tensorstone.results.background import BackgroundLoad
from tensorstone.results.estimate import Estimate
from tensorstone.results.outcome import Outcome
from tensorstone.results.proof import Proof
from tensorstone.results.run import Finding, Noise, RunFacts


class Cell(Struct, frozen=True):
    """One workload in one dialect: what `--json` prints one of and a table shows a row of."""

    workload: str
    dialect: str
    framework: str
    version: str
    lane: str
    outcome: Outcome
    proof: Proof | None = None
    metrics: dict[str, Estimate] = {}  # by the keys of the table of metrics
    rank: int | None = None  # cells that tie share one
    ratio: Estimate | None = None  # to the fastest
    notes: tuple[str, ...] = ()
    deployment: Outcome | None = None  # how saving, loading and predicting went, where tried
    known_defect: bool = False
    alias_of: str = ""

    @property
    def ok(self) -> bool:
        return self.outcome.ok

    @property
    def status(self) -> str:
        return self.outcome.status

    @property
    def reason(self) -> str:
        return self.outcome.reason

    @property
    def fell_short(self) -> bool:
        """Whether something is wrong that is not already known and said."""
        return not self.known_defect and self.status not in ("ok", "unsupported")


class Control(Struct, frozen=True):
    """An A/A control: one contestant against itself. Its ratio is 1 in truth: the rest is noise."""

    dialect: str
    ratio: Estimate
    margin: float  # on the log scale: what every difference must exceed, 0 where all is well


class BreakEven(Struct, frozen=True):
    """The interval is None below three restarts. `low` is 0 where the one that ends ahead may be
    ahead from the start, `high` is infinite where it may never be."""

    steps: float
    low: float | None
    high: float | None
    n: int


class Overtaking(Struct, frozen=True):
    """Who starts faster, who has caught up after so many steps."""

    ahead: str
    then: str
    after: BreakEven

    @property
    def never(self) -> bool:
        """Whether it may be never."""
        return self.after.high is not None and not isfinite(self.after.high)


class Pair(Struct, frozen=True):
    """slower / faster, and whether the difference is one."""

    slower: str
    faster: str
    ratio: Estimate
    differs: bool


class Comparison(Struct, frozen=True):
    """One workload's race."""

    facts: RunFacts
    cells: tuple[Cell, ...]
    rounds: int = 0
    control: Control | None = None
    background: BackgroundLoad = BackgroundLoad(0, 0, None)
    overtakings: tuple[Overtaking, ...] = ()  # of those that were ranked
    totals: dict[str, tuple[Estimate, ...]] = {}  # from nothing to the end of so many steps
    steps: dict[str, dict[int, float]] = {}  # seconds a step of those that were ranked, by round
    pairs: tuple[Pair, ...] = ()  # every two that were ranked
    # A contestant, and how much slower it is with the system's allocator.
    allocator_effect: tuple[str, Estimate] | None = None
    damaged: int = 0  # rows of the ledger that could not be read and are left out


class CurvePoint(Struct, frozen=True):
    """An epoch over all seeds: metric against time is `metric` against `train_s`."""

    epoch: int
    loss: Estimate
    metric: Estimate
    epoch_s: Estimate
    train_s: Estimate  # from the beginning to the end of this epoch


class Trained(Struct, frozen=True):
    """A cell with its learning curve."""

    cell: Cell
    curve: tuple[CurvePoint, ...] = ()
    finals: tuple[float, ...] = ()  # the metric at the end, with each seed


class Training(Struct, frozen=True):
    """One workload's whole trainings."""

    facts: RunFacts
    trained: tuple[Trained, ...]
    target: float | None = None  # the metric that all who finished had reached in the end
    unbeaten_by: tuple[str, ...] = ()  # who ended no better than the trivial model
    damaged: int = 0  # rows of the ledger that could not be read and are left out

    @property
    def cells(self) -> tuple[Cell, ...]:
        return tuple(trained.cell for trained in self.trained)


class Proofs(Struct, frozen=True):
    """One workload's proofs."""

    facts: RunFacts
    cells: tuple[Cell, ...]


class Examination(Struct, frozen=True):
    """What the doctor found."""

    facts: RunFacts
    findings: tuple[Finding, ...]
    noise: Noise | None = None

    @property
    def cells(self) -> tuple[Cell, ...]:
        return ()


Assembled = Comparison | Training | Proofs | Examination
