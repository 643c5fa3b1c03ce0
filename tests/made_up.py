"""Runs made up for tests: facts, cells and comparisons with nothing measured behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from tensorstone.results.comparison import Cell, Comparison
from tensorstone.results.outcome import OK
from tensorstone.results.run import CellRecord, RunFacts, WorkloadFacts
from tensorstone.results.settings import RaceSettings
from tensorstone.runtime.machine import this_machine

MACHINE = replace(
    this_machine(), cpu="A <fast> CPU", logical_cores=2, memory_bytes=2**34, name="here"
)
FACTS = RunFacts(
    number=0,
    uuid="",
    series="",
    command="compare",
    workload=WorkloadFacts("lenet", "LeNet", batch=16, metric="accuracy", base="lenet"),
    settings=RaceSettings(),
    machine=MACHINE,
    started=1_000.0,
    words=("stone", "compare", "lenet"),
    threads=2,
)
RECORD = CellRecord("pytorch/eager", "pytorch", "2.13.0", "idiomatic", program_sha="program")
CELL = Cell("lenet", "pytorch/eager", "pytorch", "2.13.0", "idiomatic", OK)


def facts(number: int = 0, **changes: Any) -> RunFacts:
    """A run's, with an id that its number gives."""
    uuid = f"{number:08x}" * 4 if number else ""
    return replace(FACTS, number=number, uuid=uuid, series=uuid, **changes)


def comparison(cells: Sequence[Cell], run: RunFacts = FACTS, **changes: Any) -> Comparison:
    return Comparison(facts=run, cells=tuple(cells), **changes)
