"""A trained cell: its figures, and how its outcome stands beside the others'. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tensorstone.analysis import deployment_metrics as life_metrics
from tensorstone.analysis import summary
from tensorstone.analysis.curves import Point, curve, figures, finals, time_to
from tensorstone.analysis.reloading import reload_level, unequal
from tensorstone.analysis.seeds import Judgement, judge
from tensorstone.analysis.summary import Metric
from tensorstone.results.cell import Cell, cell
from tensorstone.results.epoch import Epoch
from tensorstone.results.trial import Trial
from tensorstone.session.entries import Entry
from tensorstone.session.judging import at_least_as_good


@dataclass(frozen=True)
class Trained:
    """A cell with its learning curve."""

    cell: Cell
    curve: tuple[Point, ...] = ()
    finals: tuple[float, ...] = ()  # the metric at the end, with each seed

    def to_json(self) -> dict[str, Any]:
        said = self.cell.to_json()
        said["metrics"]["epochs"] = [point.to_json() for point in self.curve]
        return {**said, "seeds": list(self.finals)}


@dataclass(frozen=True)
class Together:
    cells: tuple[Trained, ...]
    target: float | None


def trained(
    entry: Entry,
    proof: Cell,
    trials: Sequence[Trial],
    epochs: Mapping[tuple[str, int], tuple[Epoch, ...]],
    metric: str,
) -> Trained:
    """An entry's cell after its trainings; one that was not trained is as its proof left it."""
    mine = [trial for trial in trials if trial.dialect == entry.dialect.name]
    if not mine:
        return Trained(proof)
    outcome, level = summary.outcome(mine), reload_level(proof.proof, mine)
    if outcome.ok and level and not level["passed"]:
        outcome = unequal(level)
    done = cell(
        entry,
        outcome,
        proof={**(proof.proof or {}), "reload": level} if level else proof.proof,
        notes=tuple(_remarks(entry, mine)),
        life=life_metrics.outcome(mine),
    )
    runs = [epochs[t.dialect, t.round] for t in mine if t.outcome.ok]
    if len(runs) < len(mine):
        return Trained(done)
    batch, count = entry.workload.recipe.batch, entry.workload.model.parameters
    found = {
        **figures(runs, metric, batch),
        **_readings(mine),
        **life_metrics.metrics(mine, batch),
        "parameters": Metric(count, count, count, "parameters", 1),
    }
    return Trained(replace(done, metrics=found), curve(runs, metric), tuple(finals(runs)))


def _remarks(entry: Entry, trials: Sequence[Trial]) -> Iterator[str]:
    life = life_metrics.outcome(trials)
    if life and not life.ok:
        yield f"after training: {life.status}: {life.reason}"
    if entry.dialect.note:
        yield entry.dialect.note


def held_together(cells: Sequence[Trained], metric: str, resolution: float) -> Together:
    """The outcome level, and the time each took to what all had reached in the end."""
    done = [trained for trained in cells if trained.curve]
    if not done:
        return Together(tuple(cells), None)
    judgements = judge({t.cell.dialect: t.finals for t in done}, resolution)
    target = done[0].curve[-1].metric.value
    for other in done[1:]:
        reached = other.curve[-1].metric.value
        if at_least_as_good(metric, target, reached):
            target = reached
    return Together(
        tuple(
            _judged(t, judgements[t.cell.dialect], metric, target) if t.curve else t for t in cells
        ),
        target,
    )


def _judged(trained: Trained, judgement: Judgement, metric: str, target: float) -> Trained:
    levels = {**(trained.cell.proof or {}), "outcome": judgement.to_json()}
    reached = time_to(trained.curve, metric, target)
    metrics = {**trained.cell.metrics, **({"target_s": reached} if reached else {})}
    done = replace(trained.cell, proof=levels, metrics=metrics)
    if judgement.passed is False and done.ok:
        reason = (
            f"outcome: its final {metric} is {judgement.error:.3g} from the others', "
            f"and seeds account for {judgement.tolerance:.3g}"
        )
        done = replace(done, status="unequal", reason=reason)
    return replace(trained, cell=done)


def _readings(trials: Sequence[Trial]) -> dict[str, Metric]:
    """What the processes cost beside their training."""
    found = {
        "cold_import_s": summary.times([t.cold_import_s for t in trials if t.cold_import_s]),
        "cold_build_s": summary.times([t.cold_build_s for t in trials if t.cold_build_s]),
        "peak_rss_bytes": summary.seen([t.peak_rss_bytes for t in trials if t.peak_rss_bytes], "B"),
    }
    return {name: metric for name, metric in found.items() if metric is not None}
