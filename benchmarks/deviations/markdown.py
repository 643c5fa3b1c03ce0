"""From a run's rows to the summary in the terminal and the page docs/deviations.md."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Rows = list[dict[str, Any]]

WORDS = {
    "described": "described",
    "caught": "caught",
    "wrong": "caught, described wrongly",
    "missed": "**missed**",
    "accepted": "accepted",
    "accused": "**accused**",
    "error": "not run",
}
INTRODUCTION = """# Injected deviations

Each row is one mistake, made in a real emitted program by an edit of its text, and what the proof
said of it. *caught*: the program was not accepted. *described*: the proof also said which layer,
array or setting it is, and which number, as `benchmarks/deviations` asks for it. *Blind* ones were
thought of by a person who had not read the proof's code. *not run*: the framework refused the
edited program by itself. Made by `python -m benchmarks.deviations --markdown docs/deviations.md`, or
from kept JSON by `python -m benchmarks.deviations.markdown`.
"""


def summary(rows: Iterable[dict[str, Any]]) -> str:
    """A line for each dialect, blind ones apart, and all correct variations."""
    rows = list(rows)
    lines = []
    for dialect in _dialects(rows):
        mine = [row for row in rows if row["dialect"] == dialect]
        wrong = [row for row in mine if not row["correct"]]
        blind = [row for row in wrong if row["blind"]]
        right = Counter(row["verdict"] for row in mine if row["correct"])
        lines.append(
            f"{dialect}: {_shares(wrong)}; blind: {_shares(blind)}; correct: {dict(right)}"
        )
    return "\n".join(lines)


def page(rows: Rows) -> str:
    dialects = _dialects(rows)
    wrong = [row for row in rows if not row["correct"]]
    parts = [INTRODUCTION, _counts(wrong, dialects)]
    for title, blind in (("Deviations", False), ("Blind deviations", True)):
        parts.append(f"## {title}\n\n{_table([r for r in wrong if r['blind'] == blind], dialects)}")
    parts.append(f"## Correct variations\n\n{_table([r for r in rows if r['correct']], dialects)}")
    return "\n".join(parts)


def _counts(rows: Rows, dialects: list[str]) -> str:
    head = "| framework | deviations | caught | described | blind | caught | described |\n"
    lines = [head + "|---|---|---|---|---|---|---|"]
    for dialect in dialects:
        mine = [row for row in rows if row["dialect"] == dialect and row["verdict"] != "error"]
        cells = []
        for some in (mine, [row for row in mine if row["blind"]]):
            cells += [len(some), _caught(some), _described(some)]
        lines.append(f"| {dialect} | " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines) + "\n"


def _table(rows: Rows, dialects: list[str]) -> str:
    head = "| deviation | workload | " + " | ".join(dialects) + " |\n"
    lines = [head + "|---|---|" + "---|" * len(dialects)]
    found = {(row["key"], row["dialect"]): WORDS[row["verdict"]] for row in rows}
    for key, row in sorted({row["key"]: row for row in rows}.items()):
        cells = " | ".join(found.get((key, dialect), "") for dialect in dialects)
        lines.append(f"| {row['what']} | {row['workload']} | {cells} |")
    return "\n".join(lines) + "\n"


def _shares(rows: Rows) -> str:
    run = [row for row in rows if row["verdict"] != "error"]
    wrong = sum(row["verdict"] == "wrong" for row in run)
    return f"{_caught(run)} of {len(run)} caught, {_described(run)} described, {wrong} wrongly"


def _caught(rows: Rows) -> int:
    return sum(row["verdict"] not in ("missed", "error") for row in rows)


def _described(rows: Rows) -> int:
    return sum(row["verdict"] == "described" for row in rows)


def _dialects(rows: Rows) -> list[str]:
    return list(dict.fromkeys(sorted(row["dialect"] for row in rows)))


if __name__ == "__main__":  # from JSON files to the page
    print(page([row for name in sys.argv[1:] for row in json.loads(Path(name).read_text())]))
