"""The long table of results: every cell is in it, every figure is the cell's, whatever is in a
name."""

from __future__ import annotations

import csv
import io
import re

import polars
import pytest
from made_up import CELL, comparison, facts
from msgspec.structs import replace

from tensorstone.report import tidy
from tensorstone.results.estimate import Estimate, exact
from tensorstone.results.metrics import METRICS
from tensorstone.results.outcome import Outcome
from tensorstone.results.run import WorkloadFacts

STEP = Estimate(0.0104, 0.0102, 0.0106, 7)
RANKED = replace(
    CELL, rank=1, ratio=exact(1.0), metrics={"code_lines": exact(45.0), "step_s": STEP}
)
UNEQUAL = replace(CELL, dialect="mxnet/module", outcome=Outcome("unequal", "softmax twice"))
NASTY = 'a|b\nc "d", <e> *f* `g` [h](i) _j_ =1+1'
WORKLOAD = WorkloadFacts("mine", NASTY, batch=16, metric="accuracy", base="mine")
RUN = comparison([RANKED, UNEQUAL], facts(3, noise_floor=0.01))
NASTY_RUN = comparison(
    [replace(RANKED, workload=NASTY, version="=cmd|' /C calc'!A0")], facts(4, workload=WORKLOAD)
)


def test_there_is_a_row_for_each_figure_in_the_tables_order() -> None:
    rows = [row for row in tidy.rows([RUN]) if row.dialect == CELL.dialect]
    assert [row.metric for row in rows] == ["step_s", "code_lines", "ratio"]
    step = rows[0]
    assert (step.value, step.low, step.high, step.kind, step.n) == (
        0.0104, 0.0102, 0.0106, "interval", 7,
    )  # fmt: skip
    assert (step.unit, step.workload, step.framework, step.version, step.rank) == (
        "s", "lenet", "pytorch", "2.13.0", 1,
    )  # fmt: skip
    assert (step.run, step.uuid, step.date, step.machine, step.threads) == (
        3, "00000003" * 4, "1970-01-01T00:16:40Z", "here", 2,
    )  # fmt: skip
    assert (rows[1].kind, rows[1].low) == ("exact", None)


def test_a_cell_without_figures_is_not_lost() -> None:
    (row,) = (row for row in tidy.rows([RUN]) if row.dialect == "mxnet/module")
    assert (row.status, row.metric, row.value) == ("unequal", None, None)


def test_an_alias_says_whose_figures_it_shows() -> None:
    alias = replace(RANKED, dialect="keras2/cntk", alias_of="pytorch/eager", rank=None, ratio=None)
    rows = list(tidy.rows([comparison([RANKED, alias])]))
    assert {row.alias_of for row in rows if row.dialect == "keras2/cntk"} == {"pytorch/eager"}
    assert {row.alias_of for row in rows if row.dialect == "pytorch/eager"} == {None}


def test_every_metric_has_a_unit_or_the_recipes() -> None:
    cell = replace(CELL, metrics={key: exact(1.0) for key in METRICS})
    found = {row.metric: row.unit for row in tidy.rows([comparison([cell])])}
    assert set(found) == set(METRICS)
    assert found["final_metric"] == "accuracy" and all(found.values())


def test_parquet_comes_back_as_it_was() -> None:
    frame = polars.read_parquet(io.BytesIO(tidy.as_parquet([RUN, NASTY_RUN])))
    assert frame.equals(tidy.frame([RUN, NASTY_RUN]))
    assert frame.columns == list(tidy.COLUMNS)
    assert frame.schema["value"] == polars.Float64 and frame.schema["n"] == polars.Int64
    assert NASTY in frame["workload"].to_list()


def test_without_rows_the_columns_keep_their_types() -> None:
    empty = tidy.frame([])
    assert empty.schema == tidy.frame([RUN]).schema and empty.height == 0


def test_csv_comes_back_as_it_was() -> None:
    rows = list(csv.DictReader(io.StringIO(tidy.as_csv([RUN, NASTY_RUN]).decode())))
    assert len(rows) == 7
    assert float(rows[0]["value"]) == 0.0104 and rows[3]["value"] == ""
    assert rows[4]["workload"] == NASTY
    assert rows[4]["version"] == "=cmd|' /C calc'!A0", "formulas are left as they are"


def test_csv_has_every_word_in_quotes_and_no_number() -> None:
    text = tidy.as_csv([NASTY_RUN]).decode()
    assert "\"=cmd|' /C calc'!A0\"" in text
    assert ",0.0104," in text


@pytest.mark.parametrize("value", [float("inf"), float("nan"), float("-inf")])
def test_what_is_no_number_is_missing(value: float) -> None:
    cell = replace(CELL, metrics={"step_s": Estimate(1.0, value, value, 3)})
    (row,) = tidy.rows([comparison([cell])])
    assert (row.low, row.high) == (None, None)


def cells_of(line: str) -> list[str]:
    return re.split(r"(?<!\\)\|", line)


def test_markdown_has_a_table_and_a_machine_for_each_run() -> None:
    text = tidy.as_markdown([RUN, NASTY_RUN])
    machines = [line for line in text.splitlines() if line.startswith("Machine: ")]
    assert len(machines) == 2
    assert machines[0].startswith("Machine: here, A \\<fast\\> CPU, ")
    assert "16.0 GiB; noise floor 1.0%" in machines[0] and "noise floor" not in machines[1]
    tables = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(tables) == 2 * 2 + 4 + 3
    assert len({len(cells_of(line)) for line in tables}) == 1, "every row has as many cells"
    assert "| step_s | 0.0104 | 0.0102 | 0.0106 | interval | 7 | s |" in text


def test_no_name_is_markup_in_markdown() -> None:
    (heading,) = (
        line for line in tidy.as_markdown([NASTY_RUN]).splitlines() if line.startswith("###")
    )
    assert heading == (
        '### a\\|b c "d", \\<e\\> \\*f\\* \\`g\\` \\[h\\](i) \\_j\\_ =1+1: compare, run 4'
    )


def test_a_run_without_cells_says_so() -> None:
    assert "No cells." in tidy.as_markdown([comparison([])])
