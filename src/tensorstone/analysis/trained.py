"""A trained cell: its figures, and how its outcome stands beside the others'. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from tensorstone.analysis import messages, summary
from tensorstone.analysis.curves import at_least_as_good, curve, figures, finals, time_to
from tensorstone.analysis.reloading import reload_level, unequal
from tensorstone.analysis.seeds import judge
from tensorstone.results.comparison import Cell, Trained
from tensorstone.results.estimate import exact
from tensorstone.results.outcome import Outcome
from tensorstone.results.proof import Level, Proof
from tensorstone.results.run import WorkloadFacts
from tensorstone.results.settings import TrainingSettings
from tensorstone.results.trial import Trial


class Together(Struct, frozen=True):
    trained: tuple[Trained, ...]
    target: float | None = None
    unbeaten_by: tuple[str, ...] = ()


def trained(before: Cell, trials: Sequence[Trial], workload: WorkloadFacts, note: str) -> Trained:
    """A cell after its trainings; one that was not trained is as its proof left it."""
    if not trials:
        return Trained(before)
    outcome, level = summary.outcome(trials), reload_level(before.proof, trials)
    if outcome.ok and level and not level.passed:
        outcome = unequal(level)
    done = replace(
        with_level(before, "reload", level),
        outcome=outcome,
        notes=tuple(_remarks(trials, note)),
        deployment=summary.deployment_outcome(trials),
    )
    runs = [trial.epochs for trial in trials if trial.outcome.ok and trial.epochs]
    if len(runs) < len(trials):
        return Trained(done)
    found = {
        **figures(runs, workload.metric, workload.batch),
        **summary.metrics(trials, workload.batch),
        "parameters": exact(workload.parameters),
    }
    return Trained(replace(done, metrics=found), curve(runs), tuple(finals(runs)))


def with_level(cell: Cell, name: str, level: Level | None) -> Cell:
    """The cell with one more level in its proof."""
    if level is None:
        return cell
    proof = cell.proof or Proof(Outcome("ok"))
    return replace(cell, proof=replace(proof, levels={**proof.levels, name: level}))


def judged_together(cells: Sequence[Trained], metric: str, settings: TrainingSettings) -> Together:
    """The outcome level, and the time each took to what all had reached in the end."""
    done = [trained for trained in cells if trained.curve]
    if not done:
        return Together(tuple(cells))
    if not metric:  # kept by an earlier version, which did not say what it was
        return Together(tuple(cells))
    judgements = judge({t.cell.dialect: t.finals for t in done}, settings.resolution)
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
        # By the mean of seeds no better than the trivial model.
        tuple(
            t.cell.dialect
            for t in done
            if settings.baseline is not None
            and at_least_as_good(metric, settings.baseline, t.cell.metrics["final_metric"].value)
        ),
    )


def _remarks(trials: Sequence[Trial], note: str) -> Iterator[str]:
    deployed = summary.deployment_outcome(trials)
    if deployed and not deployed.ok:
        yield messages.after_training(deployed.status, deployed.reason)
    if note:
        yield note


def _judged(trained: Trained, judgement: Level, metric: str, target: float) -> Trained:
    reached = time_to(trained.curve, metric, target)
    metrics = {**trained.cell.metrics, **({"target_s": reached} if reached else {})}
    done = replace(with_level(trained.cell, "outcome", judgement), metrics=metrics)
    if judgement.passed is False and done.ok:
        reason = messages.trained_differently(metric, judgement.error, judgement.tolerance)
        done = replace(done, outcome=Outcome("unequal", reason))
    return replace(trained, cell=done)
