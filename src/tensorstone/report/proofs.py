"""The equality table: each dialect's error at each level, and what is wrong where it fails."""

from __future__ import annotations

from collections.abc import Sequence

from rich.markup import escape

from tensorstone.report.tables import FittedTable, table
from tensorstone.results.comparison import Cell
from tensorstone.results.proof import Level, Proof

LEVELS = ("shape", "forward", "step", "trace")
NUMBERS = "error / tolerance at each level, both relative"
STYLES = {"ok": "green", "unequal": "red", "unsupported": "dim", "not-installed": "yellow"}


def badge(cell: Cell) -> str:
    """How far the proof went, in a few characters."""
    if cell.proof is None:
        return "none" if cell.ok else ""
    return "[red]✗[/]" if cell.status == "unequal" else "[green]✓[/]"


def proof_table(title: str, cells: Sequence[Cell]) -> FittedTable:
    """One row a dialect; numbers are the error and, after the stroke, what is allowed."""
    shown = table(f"{title}: {NUMBERS}")
    dropping = any("dropout" in _levels(cell.proof) for cell in cells)
    columns = (*LEVELS, "dropout") if dropping else LEVELS
    for header in ("dialect", "status", *columns):
        shown.add_column(header)
    for cell in cells:
        style = STYLES.get(cell.status, "red")
        levels = _levels(cell.proof)
        row = [level_text(levels.get(level)) for level in columns]
        status = f"= {cell.alias_of}" if cell.alias_of else cell.status
        if _exempt(cell):
            status, style = "not proven", "dim"
        shown.add_row(escape(cell.dialect), f"[{style}]{escape(status)}[/]", *row)
    return shown


def level_text(level: Level | None) -> str:
    """`✓ 3e-07/5e-06`: the error and its tolerance, both relative."""
    if level is None:
        return ""
    mark = "[green]✓[/]" if level.passed else "[red]✗[/]"
    if level.error is None or level.tolerance is None:
        return mark
    return f"{mark} {_short(level.error)}/{_short(level.tolerance)}"


def remarks(cells: Sequence[Cell]) -> list[str]:
    """A line for each cell that is not ok, and what a convention or an exclusion needs said."""
    known = {True: ", a known defect (docs/findings.md)", False: ""}
    lines = [
        f"{c.dialect}: {c.status}{known[c.known_defect]}: {c.reason}"
        for c in cells
        if not c.ok and not c.alias_of
    ]
    lines += [
        f"{c.dialect}: the same program as {c.alias_of}, whose result is shown"
        for c in cells
        if c.alias_of
    ]
    lines += [
        f"{c.dialect}: the harness's own: it computes nothing, and nothing was proven"
        for c in cells
        if _exempt(c)
    ]
    conventions: dict[str, list[str]] = {}
    for cell in cells:
        for convention in cell.proof.conventions if cell.proof else ():
            conventions.setdefault(convention, []).append(cell.dialect)
    lines += [f"convention {name}: {', '.join(who)}" for name, who in conventions.items()]
    return lines


def _exempt(cell: Cell) -> bool:
    """Whether it is there to measure the harness, and is no program of a model."""
    return cell.framework == "null"


def _short(number: float) -> str:
    return f"{number:.0e}".replace("e-0", "e-") if number else "0"


def _levels(proof: Proof | None) -> dict[str, Level]:
    return proof.levels if proof else {}
