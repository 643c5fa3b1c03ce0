"""What is said below a ranking: how sure, on what, under which conditions, kept where."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from tensorstone.analysis.ranking import FEWEST_TO_CLAIM
from tensorstone.report.allocator import allocator_said
from tensorstone.report.deployment import AFTER, FEEDING
from tensorstone.report.machine import damaged_said, machine_line
from tensorstone.report.proofs import remarks
from tensorstone.report.ranking import few_rounds, ranked, told_apart
from tensorstone.report.totals import overtaken
from tensorstone.report.units import digits, ratio_between, seconds
from tensorstone.results.background import BackgroundLoad
from tensorstone.results.comparison import Comparison, Control
from tensorstone.results.settings import RaceSettings

# From here on, taking memory from the kernel and giving it back is worth a word.
MANY_FAULTS, MUCH = 100.0, 0.05
RATIO = (
    "paired ratio: step time / step time of the fastest, taken within each turn. It need not be "
    "the quotient of the two step times, which also contain changes of the machine between turns."
)
TIES = "Contestants of equal rank cannot be told apart."
FIRST = "first: the first step in a fresh process."


def footnotes(comparison: Comparison, ledger: Path) -> list[str]:
    """A few plain lines."""
    cells, facts = comparison.cells, comparison.facts
    trials = [cell.metrics["step_s"].n for cell in cells if "step_s" in cell.metrics]
    lines = []
    if trials:
        counts = f"{min(trials)}" if min(trials) == max(trials) else f"{min(trials)}–{max(trials)}"
        lines.append(f"n = {counts} fresh processes each; {facts.why or facts.status}.")
        if ranked(cells):
            lines += [*_ranks(comparison), RATIO, FIRST]
        lines += [AFTER, FEEDING]
        if comparison.totals:
            slower = {cell.dialect for cell in cells if cell.rank and cell.rank > 1}
            lines += overtaken(comparison.overtakings, next(iter(comparison.totals)), slower)
        if comparison.control:
            lines.append(control_said(comparison.control))
        lines += background_said(comparison.background, len(facts.machine.affinity))
        lines += _memory(comparison)
    else:
        lines.append(f"No ranking: {facts.why or facts.status}.")
    lines += [
        f"{cell.dialect}: the harness itself costs {seconds(cell.metrics['step_s'].value)} a step."
        for cell in cells
        if cell.framework == "null" and "step_s" in cell.metrics
    ]
    lines += remarks(cells)
    lines += [f"{cell.dialect}: {note}" for cell in cells for note in cell.notes]
    lines.append(f"On {machine_line(facts)}.")
    if facts.resumed:
        lines.append(f"Continued an unfinished run: {facts.resumed} of its trials count.")
    lines += damaged_said(comparison.damaged, facts.number)
    lines.append(f"Everything measured is kept in {ledger}, run {facts.number}.")
    return lines


def _ranks(comparison: Comparison) -> Iterator[str]:
    if len(ranked(comparison.cells)) < 2:
        return
    if not told_apart(comparison.cells):
        yield f"No ranks: fewer than {FEWEST_TO_CLAIM} rounds are too few to tell these apart."
    elif few_rounds(comparison.cells):
        yield (
            f"Fewer than {FEWEST_TO_CLAIM} rounds: ranks differ only where every round showed a "
            "factor of two."
        )
    if told_apart(comparison.cells):
        yield TIES


def control_said(control: Control) -> str:
    ratio = control.ratio
    shown = f"{ratio_between(ratio.value, ratio.low, ratio.high)} (n = {ratio.n}, ideal ×1.00)"
    if control.margin:
        return (
            f"A/A control: {control.dialect} against itself differed, ratio {shown}; "
            f"differences below ×{digits(math.exp(control.margin))} are not reported."
        )
    return f"A/A control: {control.dialect} against itself, ratio {shown}."


def background_said(load: BackgroundLoad, processors: int) -> Iterator[str]:
    if load.disturbed:
        yield (
            f"Background load disturbed {load.disturbed:,} of {load.turns:,} turns; they were "
            "repeated and do not count."
        )
    if load.stays(processors):
        yield (
            f"Warning: other processes used {load.busy:.1f} of {processors} processors throughout; "
            "results may be distorted. To see which processes, run: stone doctor."
        )


def _memory(comparison: Comparison) -> Iterator[str]:
    """How memory was had, what that did, and who spends much time on it."""
    settings = comparison.facts.settings
    kept = isinstance(settings, RaceSettings) and settings.memory_kept
    yield f"Memory: {allocator_said(kept, comparison.facts.machine.libc)}."
    if comparison.allocator_effect:
        name, ratio = comparison.allocator_effect
        shown = ratio_between(ratio.value, ratio.low, ratio.high)
        yield f"{name}: step time with the system's allocator / with kept memory: {shown}."
    for cell in comparison.cells:
        faults, system, user = (
            cell.metrics[name].value if name in cell.metrics else 0.0
            for name in ("step_faults", "step_system_s", "step_user_s")
        )
        share = system / (system + user) if system else 0.0
        if faults >= MANY_FAULTS and share >= MUCH:
            yield (
                f"{cell.dialect}: {faults:,.0f} page faults a step, "
                f"{share:.0%} of its processor time in the kernel."
            )
