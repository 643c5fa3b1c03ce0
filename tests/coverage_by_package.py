"""Print what of each package the tests have run: `make coverage` does."""

from __future__ import annotations

import json
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

from coverage import Coverage
from rich import print as show
from rich.table import Table

SOURCE = Path(__file__).parents[1] / "src"
COUNTED = ("num_statements", "num_branches", "covered_lines", "covered_branches")
Sums = dict[str, Counter[str]]


def measured_files() -> Sums:
    """Statements and branches of every file, as the last measurement left them in `.coverage`."""
    measured = Coverage()
    measured.load()
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        measured.json_report(outfile=file.name)
        files = json.load(file)["files"]
    return {
        name: Counter({what: said["summary"][what] for what in COUNTED})
        for name, said in files.items()
    }


def by_package(files: Sums) -> Sums:
    """Added up: `tensorstone.race`, `stone_worker` and so on."""
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for name, counts in files.items():
        package, *inner = Path(name).resolve().relative_to(SOURCE).parts
        found[".".join([package, *inner[: len(inner) > 1]])] += counts
    return dict(sorted(found.items()))


def table(packages: Sums) -> Table:
    made = Table("package", box=None)
    for title in ("statements", "branches", "run, %"):
        made.add_column(title, justify="right")
    for name, n in {**packages, "all": sum(packages.values(), Counter())}.items():
        there = n["num_statements"] + n["num_branches"]
        run = n["covered_lines"] + n["covered_branches"]
        made.add_row(
            name, str(n["num_statements"]), str(n["num_branches"]), f"{100 * run / there:.0f}"
        )
    return made


if __name__ == "__main__":
    show(table(by_package(measured_files())))
