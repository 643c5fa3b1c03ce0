"""Whole trainings as a table that fits 100 columns, and what is said below it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.markup import escape
from rich.table import Table

from tensorstone.analysis.trained import Trained
from tensorstone.report.deployment import AFTER
from tensorstone.report.machine import machine_line
from tensorstone.report.proofs import remarks
from tensorstone.report.tables import table
from tensorstone.report.units import digits, seconds, seconds_between
from tensorstone.session.training import Training

BASELINES = {"accuracy": "commonest class"}
MARKS = {True: "[green]✓[/]", False: "[red]✗[/]", None: "–"}


def score(metric: str, value: float) -> str:
    """Accuracies as per cent, shares of variance with four places, errors with four digits."""
    if metric == "accuracy":
        return f"{value:.2%}"
    return f"{value:.4f}" if metric == "r2" else f"{value:.4g}"


def training_table(training: Training) -> Table:
    """Everyone who was trained to the end, and the trivial model below them."""
    metric = training.workload.recipe.metric
    shown = table(title(training))
    for header, justify in _columns(training):
        shown.add_column(header, justify=justify, no_wrap=True)  # type: ignore[arg-type]
    for trained in training.cells:
        if trained.curve:
            shown.add_row(*_row(trained, metric))
    shown.add_row(f"({_trivial(metric)})", score(metric, training.baseline), style="dim")
    return shown


def title(training: Training) -> str:
    recipe, terms = training.workload.recipe, training.terms
    epochs = f"{terms.epochs} epoch{'s' * (terms.epochs != 1)} of batch {recipe.batch}"
    parameters = f"{training.workload.model.parameters:,} parameters"
    return f"{training.workload.title}: {epochs}, {parameters}"


def footnotes(training: Training, machine: dict[str, Any], ledger: Path) -> list[str]:
    """What it was trained on, how sure the figures are, and where they are kept."""
    seeds = training.terms.seeds
    cells = [trained.cell for trained in training.cells]
    lines = [f"{training.workload.data.name}: {training.note}."]
    if any(trained.curve for trained in training.cells):
        lines += [
            f"{seeds} seed{'s' * (seeds != 1)} each: the same weights and batches for everyone. "
            "to …: when it had what all had in the end.",
            "training: steps, the first included, and nothing else. "
            "To rank speeds use: stone compare.",
            _outcome(training),
            *_unbeaten(training),
            AFTER,
        ]
    lines += remarks(cells)
    lines += [f"{cell.dialect}: {note}" for cell in cells for note in cell.notes]
    lines.append(f"On {machine_line(machine)}.")
    if training.resumed:
        lines.append(f"Went on from an unfinished run: {training.resumed} trainings were kept.")
    lines.append(f"Everything measured is kept in {ledger}, run {training.run}.")
    return lines


def _columns(training: Training) -> tuple[tuple[str, str], ...]:
    metric = training.workload.recipe.metric
    target = f"to {score(metric, training.target)}" if training.target is not None else "to target"
    return (
        ("dialect", "left"),
        (metric, "left"),
        ("best", "right"),
        ("training", "left"),
        ("samples/s", "right"),
        (target, "right"),
        ("outcome", "left"),
    )


def _row(trained: Trained, metric: str) -> list[str]:
    metrics = trained.cell.metrics
    spent = metrics["train_s"]
    outcome = (trained.cell.proof or {})["outcome"]
    return [
        escape(trained.cell.dialect),
        _spread(trained, metric),
        f"{metrics['best_epoch'].value:g}",
        seconds_between(spent.value, spent.low, spent.high),
        digits(metrics["train_samples_per_s"].value),
        seconds(metrics["target_s"].value) if "target_s" in metrics else "",
        MARKS[outcome["passed"]],
    ]


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
    return BASELINES.get(metric, "linear model")


def _unbeaten(training: Training) -> list[str]:
    metric, names = training.workload.recipe.metric, ", ".join(training.unbeaten_by)
    trivial = f"the trivial model ({_trivial(metric)}, {score(metric, training.baseline)})"
    return [f"No better than {trivial}: {names}."] if names else []


def _outcome(training: Training) -> str:
    levels = [(t.cell.proof or {})["outcome"] for t in training.cells if t.curve]
    unsaid = next((level["reason"] for level in levels if level["passed"] is None), "")
    if unsaid:
        return f"outcome not judged: {unsaid}."
    held = "all are" if all(level["passed"] for level in levels) else "not all are"
    return f"outcome: {held} where one more seed of the others could have ended."
