"""A cell: one workload in one dialect, and everything that is known about it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from tensorstone.bench.bootstrap import Estimate
from tensorstone.bench.outcome import Outcome
from tensorstone.bench.summary import Metric
from tensorstone.referee.entries import Entry


@dataclass(frozen=True)
class Cell:
    """What `--json` prints one of and a table shows a row of."""

    workload: str
    dialect: str
    framework: str
    version: str
    lane: str
    status: str
    reason: str = ""
    last_words: str = ""
    proof: dict[str, Any] | None = None
    metrics: dict[str, Metric] = field(default_factory=dict)
    rank: int | None = None
    ratio: Estimate | None = None
    notes: tuple[str, ...] = ()
    life: Outcome | None = None  # how saving, loading and predicting went, where they were tried
    known_defect: bool = False  # unequal by exactly what its framework is known for

    @property
    def ok(self) -> bool:
        return self.status == "ok"

    @property
    def fell_short(self) -> bool:
        """Whether something is wrong that is not already known and said."""
        return not self.known_defect and self.status not in ("ok", "unsupported")

    def to_json(self) -> dict[str, Any]:
        """As `--json` prints it."""
        ratio = self.ratio and {
            key: getattr(self.ratio, key) for key in ("value", "low", "high", "samples")
        }
        return {
            **{k: v for k, v in vars(self).items() if k not in ("metrics", "ratio", "life")},
            "metrics": {name: asdict(metric) for name, metric in self.metrics.items()},
            "ratio": ratio,
            "life": self.life and asdict(self.life),
        }


def cell(entry: Entry, outcome: Outcome, **fields: Any) -> Cell:
    """An entry's cell with this outcome."""
    return Cell(
        workload=entry.workload.name,
        dialect=entry.dialect.name,
        framework=entry.framework.name,
        version=entry.version,
        lane=entry.dialect.lane,
        status=outcome.status,
        reason=outcome.reason,
        last_words=outcome.last_words,
        **fields,
    )


def slowness(done: Cell) -> tuple[int, float]:
    """What ranked cells are ordered by."""
    return done.rank or 0, done.ratio.value if done.ratio else 0.0
