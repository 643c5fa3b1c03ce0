"""Two runs of one workload, cell by cell: how much faster or slower, and what had changed.

Contestants of one run took turns, so their ratios are paired. Two runs were made at different
times: nothing is paired, and rounds of the one are compared with rounds of the other as independent
samples with a spread of their own each (Welch 1947), on the log scale.

Rounds say only how much a program varies within a run. From one hour to another the machine itself
may be faster or slower, which no number of rounds shows. That variation is part of the interval. It
is taken from the best that is known:

- other cells of which nothing changed (program, packages, conditions, machine): in truth their
  ratio is 1, so how far they moved is the variation; two of them at least, and Student's quantile
  for so few;
- what equals differed by within each run: its noise floor, or else its A/A control;
- nothing: then 5 % are assumed.

The first is never taken to be less than the second.
"""

from __future__ import annotations

import difflib
import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tensorstone.analysis.bootstrap import CONFIDENCE, FEWEST
from tensorstone.analysis.ranking import FEWEST_TO_CLAIM, LOG_FACTOR_TWO
from tensorstone.results.codec import plain
from tensorstone.results.comparison import Assembled, Cell, Comparison
from tensorstone.results.difference import BetweenRuns, CellDifference, Change, Difference
from tensorstone.results.estimate import Estimate
from tensorstone.results.run import CellRecord, RunRecord

CERTAIN = 0.99  # what a difference must be to be called one; two runs are looked at once
ASSUMED = math.log(1.05)
FEWEST_UNCHANGED = 2  # other cells; one alone may not have moved by chance
_APART = (
    "name",
    "hostname",
    "affinity",
    "python",
)  # of a machine: said otherwise, or without effect


@dataclass(frozen=True)
class Side:
    """One of the two runs: what was kept of it, and what it came to."""

    record: RunRecord
    result: Assembled

    def cell(self, dialect: str) -> tuple[CellRecord, Cell] | None:
        kept = {cell.dialect: cell for cell in self.record.cells}
        shown = {cell.dialect: cell for cell in self.result.cells}
        both = dialect in kept and dialect in shown
        return (kept[dialect], shown[dialect]) if both else None

    def steps(self, dialect: str) -> list[float]:
        """Seconds a step, a value for each round or seed."""
        if isinstance(self.result, Comparison):
            return list(self.result.steps.get(dialect, {}).values())
        trained = [
            (sum(e.train_s for e in trial.epochs), sum(e.steps for e in trial.epochs))
            for trial in self.record.trials
            if trial.dialect == dialect and trial.role == "contestant" and trial.outcome.ok
        ]
        return [seconds / steps for seconds, steps in trained if steps and seconds > 0]


def diff(old: Side, new: Side) -> Difference:
    """What differs from the old run to the new one."""
    of_runs = tuple(_run_changes(old.record, new.record))
    names = [cell.dialect for cell in (*old.result.cells, *new.result.cells)]
    cells = [_described(old, new, name, of_runs) for name in dict.fromkeys(names)]
    return Difference(
        old.record.facts,
        new.record.facts,
        of_runs,
        tuple(_measured(old, new, cell, cells) for cell in cells),
    )


# What was measured


def _measured(
    old: Side, new: Side, cell: CellDifference, cells: Sequence[CellDifference]
) -> CellDifference:
    """The cell with its ratio, where both runs timed it."""
    from msgspec.structs import replace

    before, after = old.steps(cell.dialect), new.steps(cell.dialect)
    means = [statistics.geometric_mean(steps) if steps else None for steps in (before, after)]
    said = replace(
        cell,
        old_s=means[0], new_s=means[1],
        old_rounds=len(before), new_rounds=len(after),
    )  # fmt: skip
    if not before or not after:
        return said
    between = between_runs(
        floors=[_floor(side.result) for side in (old, new)],
        moved=[
            log_ratio(old.steps(other.dialect), new.steps(other.dialect))
            for other in cells
            if other.unchanged and other.dialect != cell.dialect
            if old.steps(other.dialect) and new.steps(other.dialect)
        ],
    )
    return replace(
        said,
        ratio=ratio(before, after, between),
        differs=differs(before, after, between),
        between=between,
    )


def log_ratio(old: Sequence[float], new: Sequence[float]) -> float:
    """Of the geometric means, new / old."""
    return statistics.fmean(map(math.log, new)) - statistics.fmean(map(math.log, old))


def ratio(old: Sequence[float], new: Sequence[float], between: BetweenRuns) -> Estimate:
    """new / old with its 95 % interval: none where a run has fewer than three rounds."""
    centre, n = log_ratio(old, new), len(old) + len(new)
    if min(len(old), len(new)) < FEWEST:
        return Estimate(math.exp(centre), None, None, n)
    half = _half_width(old, new, between, CONFIDENCE)
    return Estimate(math.exp(centre), math.exp(centre - half), math.exp(centre + half), n)


def differs(old: Sequence[float], new: Sequence[float], between: BetweenRuns) -> bool:
    """Whether the difference is one, and not chance; of few rounds, whether all of them show a
    large one."""
    if min(len(old), len(new)) < FEWEST_TO_CLAIM:
        logs = [math.log(after / before) for before in old for after in new]
        rough = max(LOG_FACTOR_TWO, _between_half(between, CERTAIN))
        return min(logs) > rough or max(logs) < -rough
    return abs(log_ratio(old, new)) > _half_width(old, new, between, CERTAIN)


def between_runs(floors: Sequence[float | None], moved: Sequence[float]) -> BetweenRuns:
    """The variation between two runs, from what is known of each and from cells that should not
    have moved."""
    known = [floor for floor in floors if floor is not None]
    # A run whose floor is unknown is taken to be like the other.
    floor = math.hypot(*known, *known[: len(floors) - len(known)]) if known else None
    if len(moved) >= FEWEST_UNCHANGED:
        spread = math.sqrt(statistics.fmean(log * log for log in moved))
        return BetweenRuns("unchanged-cells", spread, len(moved), floor or 0.0)
    if floor is not None:
        return BetweenRuns("noise-floor", max([floor, *map(abs, moved)]))
    return BetweenRuns("assumed", max([ASSUMED, *map(abs, moved)]))


def _half_width(
    old: Sequence[float], new: Sequence[float], between: BetweenRuns, confidence: float
) -> float:
    return math.hypot(_within_half(old, new, confidence), _between_half(between, confidence))


def _within_half(old: Sequence[float], new: Sequence[float], confidence: float) -> float:
    """Welch's interval for the difference of two means of logarithms."""
    errors = [
        (statistics.variance([math.log(value) for value in steps]) / len(steps), len(steps))
        for steps in (old, new)
    ]
    total = sum(error for error, _ in errors)
    if total == 0:
        return 0.0
    freedom = total**2 / sum(error**2 / (n - 1) for error, n in errors)
    return _student(freedom, confidence) * math.sqrt(total)


def _between_half(between: BetweenRuns, confidence: float) -> float:
    """A floor is a half-width already; a spread of few cells is widened for being of few."""
    if between.source != "unchanged-cells":
        return between.value
    return max(_student(between.cells, confidence) * between.value, between.floor)


def _student(freedom: float, confidence: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 1 - (1 - confidence) / 2))


def _floor(result: Assembled) -> float | None:
    """What equals differed by within a run, on the log scale."""
    noise, control = result.facts.noise_floor, getattr(result, "control", None)
    if noise is not None:
        return max(math.log1p(noise), control.margin if control else 0.0)
    if control is None:
        return None
    ends = [end for end in (control.ratio.low, control.ratio.high) if end] or [control.ratio.value]
    return max(abs(math.log(end)) for end in ends)


# What was changed


def _described(old: Side, new: Side, dialect: str, of_runs: Sequence[Change]) -> CellDifference:
    """A cell's outcomes and changes, before anything is made of its figures."""
    before, after = old.cell(dialect), new.cell(dialect)
    if before is None or after is None:
        return CellDifference(
            dialect,
            old_status=before[1].status if before else None,
            new_status=after[1].status if after else None,
        )
    changes = tuple(_cell_changes(before[0], after[0]))
    text = _text(old.record, new.record, before[0], after[0])
    known = bool(before[0].program_sha and before[0].conditions and after[0].conditions)
    return CellDifference(
        dialect,
        old_status=before[1].status,
        new_status=after[1].status,
        changes=(*changes, *_program_change(before[0], after[0], text)),
        unchanged=known
        and not changes
        and before[0].program_sha == after[0].program_sha
        and not any(change.what not in _HARMLESS for change in of_runs),
        text=text,
    )


# Settings that say how long and how surely something is measured, never how fast it is.
_HARMLESS = frozenset(
    {"budget_s", "precision", "turns", "min_rounds", "trial_timeout_s", "deployments", "seed",
     "seeds", "timeout_s", "note"}
)  # fmt: skip


def _run_changes(old: RunRecord, new: RunRecord) -> Iterator[Change]:
    one, other = old.facts, new.facts
    yield from _change("tensorstone", one.version, other.version)
    yield from _change("machine", one.machine.name, other.machine.name)
    machines = plain(one.machine), plain(other.machine)
    for name in machines[0]:
        if name not in _APART:
            yield from _change(name.replace("_", " "), machines[0][name], machines[1][name])
    processors = len(one.machine.affinity), len(other.machine.affinity)
    yield from _change("processors", *processors)
    yield from _change("threads", one.threads, other.threads)
    yield from _change("batch", one.workload.batch, other.workload.batch)
    if one.workload.sha and other.workload.sha and one.workload.batch == other.workload.batch:
        yield from _change("workload", one.workload.sha[:12], other.workload.sha[:12])
    settings = plain(one.settings), plain(other.settings)
    for name in dict.fromkeys((*settings[0], *settings[1])):
        yield from _change(name, settings[0].get(name), settings[1].get(name))


def _cell_changes(old: CellRecord, new: CellRecord) -> Iterator[Change]:
    yield from _change(old.framework, old.version, new.version)
    if old.packages and new.packages:
        for name in sorted({*old.packages, *new.packages}):
            yield from _change(name, old.packages.get(name, ""), new.packages.get(name, ""))
    if old.conditions is None or new.conditions is None:
        return
    yield from _change("environment", old.conditions.environment, new.conditions.environment)
    yield from _change("allocator", old.conditions.allocator, new.conditions.allocator)
    variables = dict(old.conditions.variables), dict(new.conditions.variables)
    for name in sorted({*variables[0], *variables[1]}):
        yield from _change(f"${name}", variables[0].get(name, ""), variables[1].get(name, ""))


def _program_change(old: CellRecord, new: CellRecord, text: Sequence[str]) -> Iterator[Change]:
    if old.program_sha != new.program_sha and not text:  # one of them was never kept
        yield Change("program", old.program_sha[:12], new.program_sha[:12])


def _text(old: RunRecord, new: RunRecord, before: CellRecord, after: CellRecord) -> tuple[str, ...]:
    """The unified diff of the programs; nothing where they are the same or one was not kept."""
    one, other = (
        old.programs.get(before.program_sha),
        new.programs.get(after.program_sha),
    )
    if one is None or other is None:
        return ()
    return tuple(
        difflib.unified_diff(
            one.text.splitlines(),
            other.text.splitlines(),
            f"run {old.facts.number}: {before.dialect}",
            f"run {new.facts.number}: {after.dialect}",
            lineterm="",
        )
    )


def _change(what: str, old: object, new: object) -> Iterator[Change]:
    if old != new:
        yield Change(what, *(_said(value) for value in (old, new)))


def _said(value: object) -> str:
    if isinstance(value, Mapping) or value is None:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)
