"""What `low` and `high` of a figure are is said beside them."""

from __future__ import annotations

from made_up import CELL, comparison
from msgspec.structs import replace

from tensorstone.analysis import summary
from tensorstone.report.as_json import cell_json, results_json
from tensorstone.results.estimate import Estimate, exact
from tensorstone.results.outcome import OK
from tensorstone.results.trial import Block, Trial

BLOCKS = (Block(10, 1.0, 0.9, 5, 0, 3, 2), Block(10, 1.1, 1.0, 7, 0, 4, 1))
TRIALS = [
    Trial(
        CELL.dialect,
        round,
        0,
        outcome=OK,
        cold_import_s=1.0 + round / 10,
        peak_rss_bytes=1000 + round,
        blocks=BLOCKS,
    )
    for round in (1, 2, 3, 4)
]


def test_an_interval_a_range_and_a_count_say_which_they_are() -> None:
    figures = {**summary.metrics(TRIALS, 16), "code_lines": exact(29)}
    metrics = cell_json(replace(CELL, metrics=figures))["metrics"]
    kinds = {key: said["kind"] for key, said in metrics.items()}
    assert kinds["cold_import_s"] == kinds["step_s"] == "interval"
    assert kinds["peak_rss_bytes"] == kinds["step_faults"] == "range"
    assert kinds["code_lines"] == "exact"
    assert set(kinds.values()) <= {"interval", "range", "exact"}
    memory = metrics["peak_rss_bytes"]
    assert (memory["low"], memory["high"]) == (1001, 1004), "the least and the most that was seen"
    assert metrics["code_lines"]["low"] is None


def test_ratios_are_intervals() -> None:
    ratio = Estimate(1.2, 1.1, 1.3, 4)
    (said,) = results_json([comparison([replace(CELL, rank=2, ratio=ratio)])])["cells"]
    assert said["ratio"] == {
        "value": 1.2,
        "low": 1.1,
        "high": 1.3,
        "samples": 4,
        "kind": "interval",
    }
