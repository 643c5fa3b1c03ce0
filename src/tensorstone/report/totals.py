"""Who is ahead when: the time from nothing to the end of so many steps, and who overtakes whom."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from rich.markup import escape

from tensorstone.analysis.startup import STEPS
from tensorstone.report.tables import FittedTable, table
from tensorstone.report.units import count, seconds
from tensorstone.results.comparison import Overtaking
from tensorstone.results.estimate import Estimate

MOST_SAID = 3


def totals_table(title: str, totals: Mapping[str, Sequence[Estimate]]) -> FittedTable:
    """A row each, in the order given; the fastest of each column is bold."""
    shown = table(title)
    shown.add_column("dialect")
    for steps in STEPS:
        shown.add_column(f"{steps:,} step{'s' * (steps > 1)}", "right")
    least = [min(column) for column in zip(*map(_values, totals.values()), strict=True)]
    for name, estimates in totals.items():
        said = [
            f"[bold]{seconds(value)}[/]" if value == best else seconds(value)
            for value, best in zip(_values(estimates), least, strict=True)
        ]
        shown.add_row(escape(name), *said)
    return shown


def overtaken(found: Sequence[Overtaking], fastest: str, slower: Collection[str]) -> list[str]:
    """Whom the fastest stepper overtakes of those who are surely slower, and when; the latest
    first, since they matter most."""
    mine = [one for one in reversed(found) if one.then == fastest and one.ahead in slower]
    lines = [
        f"Break-even: {fastest} overtakes {one.ahead} after {_steps(one)}."
        for one in mine[:MOST_SAID]
    ]
    more = len(mine) - MOST_SAID
    return [*lines, f"{fastest} overtakes {more} more, after fewer steps."] if more > 0 else lines


def _steps(one: Overtaking) -> str:
    after = one.after
    said = f"{count(after.steps)} steps"
    if after.low is None or after.high is None:
        return said
    high = "never" if one.never else count(after.high)
    return f"{said} ({count(after.low)} to {high})"


def _values(estimates: Sequence[Estimate]) -> list[float]:
    return [estimate.value for estimate in estimates]
