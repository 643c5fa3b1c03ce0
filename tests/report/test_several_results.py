"""Several races of one command: what columns mean is said once, and too few rounds fit no line."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

from made_up import CELL, comparison, facts
from msgspec.structs import replace
from rich.console import Console

from tensorstone.report.footnotes import RATIO
from tensorstone.report.showing import shown, swept
from tensorstone.results.comparison import Comparison
from tensorstone.results.estimate import Estimate


def races(rounds: int) -> list[Comparison]:
    made = []
    for number, batch in enumerate((8, 16, 32), 1):
        step = Estimate(1e-3 * batch, None, None, rounds)
        cell = replace(CELL, rank=1, metrics={"step_s": step})
        workload = replace(facts().workload, batch=batch)
        steps = {cell.dialect: dict.fromkeys(range(1, rounds + 1), 0.001 * batch)}
        made.append(comparison([cell], facts(number, workload=workload), steps=steps))
    return made


def printed(done: list[Comparison]) -> str:
    console = Console(width=300, file=StringIO(), highlight=False)
    said: set[str] = set()
    for one in done:
        for part in shown(one, Path("ledger"), said):
            console.print(part)
    for part in swept(done):
        console.print(part)
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def test_explanations_are_said_once_and_results_each_time() -> None:
    text = printed(races(4))
    assert text.count(RATIO) == 1
    assert text.count("n = 4 fresh processes each") == 3
    assert text.count("Everything measured is kept in") == 3


def test_a_line_takes_three_rounds() -> None:
    assert "a sample" in printed(races(3)) and "No line is fitted" not in printed(races(3))
    few = printed(races(2))
    assert "No line is fitted to the batch sizes" in few and "a sample" not in few
