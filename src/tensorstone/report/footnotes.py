"""What is said below a ranking: how sure, on what, under which conditions, kept where."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tensorstone.analysis.background_load import Others
from tensorstone.analysis.ranking import Itself
from tensorstone.report.deployment import AFTER, FEEDING
from tensorstone.report.machine import machine_line
from tensorstone.report.proofs import remarks
from tensorstone.report.totals import overtaken
from tensorstone.report.units import digits, ratio_between, seconds
from tensorstone.runtime.gauges import allocator
from tensorstone.session.comparing import Comparison

# From here on, taking memory from the kernel and giving it back is worth a word.
MANY_FAULTS, MUCH = 100.0, 0.05


def footnotes(comparison: Comparison, machine: dict[str, Any], ledger: Path) -> list[str]:
    """A few plain lines."""
    cells = comparison.cells
    trials = [cell.metrics["step_s"].samples for cell in cells if "step_s" in cell.metrics]
    lines = []
    if trials:
        counts = f"{min(trials)}" if min(trials) == max(trials) else f"{min(trials)}–{max(trials)}"
        lines.append(f"n = {counts} fresh processes each; {comparison.why}.")
        lines.append(
            "Equal ranks cannot be told apart. ratio: to the fastest. first: the first step, cold."
        )
        lines += [AFTER, FEEDING]
        if comparison.totals:
            slower = {cell.dialect for cell in cells if cell.rank and cell.rank > 1}
            lines += overtaken(comparison.overtakings, next(iter(comparison.totals)), slower)
        if comparison.itself:
            lines.append(itself_said(comparison.itself))
        lines += others_said(comparison.others, machine["cores"])
        lines += _memory(comparison)
    else:
        lines.append(f"No ranking: {comparison.why}.")
    lines += [
        f"{cell.dialect}: {seconds(cell.metrics['step_s'].value)} a step is what the harness costs."
        for cell in cells
        if cell.framework == "null" and "step_s" in cell.metrics
    ]
    lines += remarks(cells)
    lines += [f"{cell.dialect}: {note}" for cell in cells for note in cell.notes]
    lines.append(f"On {machine_line(machine)}.")
    if comparison.resumed:
        lines.append(f"Went on from an unfinished run: {comparison.resumed} trials were kept.")
    lines.append(f"Everything measured is kept in {ledger}, run {comparison.run}.")
    return lines


def itself_said(itself: Itself) -> str:
    ratio = itself.ratio
    shown = f"{ratio_between(ratio.value, ratio.low, ratio.high)} (n = {ratio.samples})"
    if itself.margin:
        return (
            f"{itself.name} in two seats differed from itself, {shown}: something here is not even,"
            f" and only differences beyond ×{digits(math.exp(itself.margin))} are called so."
        )
    return f"{itself.name} in two seats, for control: {shown}."


def others_said(others: Others, processors: int) -> Iterator[str]:
    if others.disturbed:
        yield (
            f"Others disturbed {others.disturbed:,} of {others.turns:,} turns, which count for "
            "nobody and were repeated."
        )
    if others.stay(processors):
        yield (
            f"Others kept {others.busy:.1f} of {processors} processors busy all the while, so this "
            "is how they do on a busy machine: stone doctor says who that is."
        )


def _memory(comparison: Comparison) -> Iterator[str]:
    """How memory was had, what that did, and who spends much time on it."""
    yield f"Memory: {allocator.said(comparison.memory_kept)}."
    if comparison.unkept:
        name, ratio = comparison.unkept
        shown = ratio_between(ratio.value, ratio.low, ratio.high)
        yield f"{name} with memory not kept: {shown}."
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
