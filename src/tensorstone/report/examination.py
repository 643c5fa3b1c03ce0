"""What the doctor found, a line each, with advice below it."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from tensorstone.results.comparison import Examination

MARKS = {
    "good": ("✓", "green"),
    "note": ("·", "dim"),
    "warning": ("!", "yellow"),
    "bad": ("✗", "red"),
}


def examination_lines(found: Examination) -> Iterator[RenderableType]:
    for finding in found.findings:
        mark, style = MARKS[finding.state]
        yield Text.assemble((mark, style), f" {finding.what}: {finding.found}")
        if finding.advice:
            yield Text(f"    {finding.advice}", style="dim")
