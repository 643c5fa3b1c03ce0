"""Whole trainings as a table, and what is said below it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.markup import escape

from tensorstone.report.deployment import AFTER
from tensorstone.report.machine import damaged_said, machine_line
from tensorstone.report.proofs import remarks
from tensorstone.report.tables import FittedTable, Justify, table
from tensorstone.report.units import digits, seconds, seconds_between
from tensorstone.results.comparison import Trained, Training
from tensorstone.results.proof import Level
from tensorstone.results.settings import TrainingSettings

# The model that learns nothing, by the metric it is judged by.
TRIVIAL_MODELS = {
    "accuracy": "always the commonest class",
    "mse": "linear model",
    "mae": "linear model",
    "r2": "linear model",
}
SPREAD = "min–max: the lowest and highest value over the seeds, not a confidence interval."
STEPS_ALONE = (
    "training: the time of the training steps alone, the first included. To rank speeds, run: "
    "stone compare."
)
# What is left out first where the terminal is narrow.
SHED = {"samples/s": 2, "best": 1}
MARKS = {True: "[green]✓[/]", False: "[red]✗[/]", None: "–"}
UNJUDGED = Level(None, None, None)


def score(metric: str, value: float) -> str:
    """Accuracies as per cent, shares of variance with four places, errors with four digits."""
    if metric == "accuracy":
        return f"{value:.2%}"
    return f"{value:.4f}" if metric == "r2" else f"{value:.4g}"


def training_table(training: Training) -> FittedTable:
    """Everyone who was trained to the end, and the trivial model below them."""
    metric = training.facts.workload.metric
    shown = table(title(training))
    for header, justify in _columns(training):
        shown.add_column(header, justify, shed=SHED.get(header, 0))
    for trained in training.trained:
        if trained.curve and not trained.cell.alias_of:
            shown.add_row(*_row(trained, metric))
    baseline = settings(training).baseline
    if settings(training).test_samples and baseline is not None:
        trivial = score(metric, baseline)
        shown.add_row(f"({_trivial(metric)})", trivial, style="dim")
    return shown


def settings(training: Training) -> TrainingSettings:
    asked = training.facts.settings
    assert isinstance(asked, TrainingSettings)
    return asked


def title(training: Training) -> str:
    workload, count = training.facts.workload, settings(training).epochs
    epochs = f"{count} epoch{'s' * (count != 1)} of batch {workload.batch}"
    return f"{workload.title}: {epochs}, {workload.parameters:,} parameters"


def footnotes(training: Training, ledger: Path) -> list[str]:
    """What it was trained on, how sure the figures are, and where they are kept."""
    facts, seeds = training.facts, settings(training).seeds
    lines = [f"{facts.workload.dataset or 'data'}: {settings(training).note}."]
    if any(trained.curve for trained in training.trained):
        lines += [
            f"{seeds} seed{'s' * (seeds != 1)} for each dialect; all start from the same "
            "weights and read the same batches.",
            *_spread_said(training),
            *_target_said(training),
            STEPS_ALONE,
            _outcome(training),
            *_unbeaten(training),
            AFTER,
        ]
    lines += remarks(training.cells)
    lines += [f"{cell.dialect}: {note}" for cell in training.cells for note in cell.notes]
    lines.append(f"On {machine_line(facts)}.")
    if facts.resumed:
        lines.append(f"Continued an unfinished run: {facts.resumed} of its trainings count.")
    lines += damaged_said(training.damaged, facts.number)
    lines.append(f"Everything measured is kept in {ledger}, run {facts.number}.")
    return lines


def _columns(training: Training) -> tuple[tuple[str, Justify], ...]:
    metric = training.facts.workload.metric
    target = f"to {score(metric, training.target)}" if training.target is not None else "to target"
    spread = settings(training).seeds > 1
    return (
        ("dialect", "left"),
        (f"{metric or 'metric'} (min–max)" if spread else metric or "metric", "left"),
        ("best", "right"),
        ("training", "left"),
        ("samples/s", "right"),
        (target, "right"),
        ("outcome", "left"),
    )


def _row(trained: Trained, metric: str) -> list[str]:
    metrics = trained.cell.metrics
    spent = metrics["train_s"]
    return [
        escape(trained.cell.dialect),
        _spread(trained, metric),
        f"{metrics['best_epoch'].value:g}",
        seconds_between(spent.value, spent.low, spent.high),
        digits(metrics["train_samples_per_s"].value),
        seconds(metrics["target_s"].value) if "target_s" in metrics else "",
        MARKS[_judged(trained).passed],
    ]


def _judged(trained: Trained) -> Level:
    proof = trained.cell.proof
    return proof.levels.get("outcome", UNJUDGED) if proof else UNJUDGED


def _spread(trained: Trained, metric: str) -> str:
    """The mean, and the least and most of any seed: 98.61% 98.52–98.70."""
    said = score(metric, trained.cell.metrics["final_metric"].value)
    if len(trained.finals) == 1:
        return said
    least, most = (score(metric, value).rstrip("%") for value in _range(trained.finals))
    return f"{said} {least}–{most}"


def _range(values: Sequence[float]) -> tuple[float, float]:
    return min(values), max(values)


def _trivial(metric: str) -> str:
    return TRIVIAL_MODELS.get(metric, "linear model").removeprefix("always the ")


def _spread_said(training: Training) -> list[str]:
    if settings(training).seeds == 1:
        return []
    return [SPREAD]


def _target_said(training: Training) -> list[str]:
    if training.target is None:
        return []
    said = score(training.facts.workload.metric, training.target)
    return [
        f"to {said}: training time until this metric, the worst of all final ones. "
        "best: the best epoch."
    ]


def _unbeaten(training: Training) -> list[str]:
    metric, names = training.facts.workload.metric, ", ".join(training.unbeaten_by)
    baseline = settings(training).baseline
    if baseline is None or not names or not settings(training).test_samples:
        return []
    trivial = f"the trivial model ({_trivial(metric)}, {score(metric, baseline)})"
    return [f"No better than {trivial}: {names}."]


def _outcome(training: Training) -> str:
    levels = [_judged(t) for t in training.trained if t.curve and not t.cell.alias_of]
    unsaid = next((level.reason for level in levels if level.passed is None), "")
    if unsaid:
        return f"outcome not judged: {unsaid}."
    if all(level.passed for level in levels):
        return "outcome: final metrics agree within seed-to-seed variation."
    return "outcome: not all final metrics agree within seed-to-seed variation."
