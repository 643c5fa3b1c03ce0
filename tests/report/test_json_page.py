"""docs/json.md: not stale, and true of what is really printed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from json_checked import known, wrong, wrong_results
from msgspec.structs import replace
from old_ledger import unpack

from tensorstone.analysis.assemble import assemble
from tensorstone.analysis.diff import Side, diff
from tensorstone.ledger import Ledger, reading
from tensorstone.report.as_json import results_json
from tensorstone.report.diff import difference_json
from tensorstone.report.json_fields import SECTIONS
from tensorstone.report.json_page import page
from tensorstone.report.runs import runs_json
from tensorstone.report.tidy import as_records
from tensorstone.results.codec import to_json
from tensorstone.results.comparison import Comparison, Examination
from tensorstone.results.metrics import METRICS
from tensorstone.results.run import Finding, Noise, RunRecord
from tensorstone.results.settings import DoctorSettings

PAGE = Path(__file__).parents[2] / "docs" / "json.md"


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> dict[int, RunRecord]:
    with Ledger(unpack(tmp_path_factory.mktemp("old"))) as ledger:
        return {number: reading.record(ledger, number) for number in (1, 2, 3, 4)}


def printed(value: Any) -> Any:
    return json.loads(to_json(value))


def test_the_page_is_what_make_docs_makes() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: make docs"


def test_every_metric_is_on_the_page() -> None:
    assert all(f"| `{key}` |" in page() for key in METRICS)


def test_every_type_on_the_page_is_known() -> None:
    unknown = {
        (section.name, key): field.type
        for section in SECTIONS
        for key, field in section.fields.items()
        if not known(field.type)
    }
    assert unknown == {}


@pytest.mark.parametrize("run", [1, 2, 3, 4])
def test_results_are_what_the_page_says(records: dict[int, RunRecord], run: int) -> None:
    assert wrong_results(printed(results_json([assemble(records[run])], arrays=True))) == []


def test_a_sweep_is_what_the_page_says(records: dict[int, RunRecord]) -> None:
    first = records[1]
    points = []
    for batch in (64, 128, 256):
        workload = replace(first.facts.workload, batch=batch, base="mlp")
        point = assemble(replace(first, facts=replace(first.facts, workload=workload)))
        assert isinstance(point, Comparison)
        three = {name: dict.fromkeys((1, 2, 3), batch * 1e-5) for name in point.steps}
        points.append(replace(point, steps=three))
    said = printed(results_json(points))
    assert said["sweeps"][0]["fits"], "there is something to hold against the page"
    assert wrong_results(said) == []


def test_an_examination_is_what_the_page_says(records: dict[int, RunRecord]) -> None:
    facts = replace(records[1].facts, command="doctor", settings=DoctorSettings())
    noise = Noise(0.01, 1.001, 0.99, 1.01, 5, 1.7e9, 2)
    result = Examination(facts, (Finding("clock", "good", "steady"),), noise)
    assert wrong_results(printed(results_json([result]))) == []


def test_a_difference_is_what_the_page_says(records: dict[int, RunRecord]) -> None:
    sides = [Side(records[number], assemble(records[number])) for number in (1, 4)]
    assert wrong(printed(difference_json(diff(*sides), text=True)), "difference") == []


def test_runs_and_exports_are_what_the_page_says(
    records: dict[int, RunRecord], tmp_path: Path
) -> None:
    with Ledger(unpack(tmp_path)) as ledger:
        runs = {"runs": runs_json(reading.summaries(ledger)), "ledger": "ledger.sqlite"}
    assert wrong(printed(runs), "list of runs") == []
    rows = as_records([assemble(records[number]) for number in (1, 2, 3)])
    assert len(rows) > 100
    assert wrong(printed({"rows": rows}), "export") == []


def test_a_field_that_is_not_said_is_found(records: dict[int, RunRecord]) -> None:
    said = printed(results_json([assemble(records[1])]))
    said["cells"][0]["metrics"]["step_s"]["new"] = 1
    said["runs"][0]["rounds"] = "two"
    assert wrong_results(said) == [
        "run.rounds is no whole: 'two'",
        "cell.metrics.step_s.new is not said",
    ]
