"""Python and the command line: the same engine, ledger, figures and words."""

from __future__ import annotations

from typing import Any

import pytest
from api.conftest import SMALL
from cli.conftest import Stone

import tensorstone as stone
from tensorstone.models.load import find

AT_LEAST = {"step_s", "cold_import_s", "peak_rss_bytes"}


def test_the_command_line_reads_what_python_measured(command: Stone, result: stone.Result) -> None:
    (number,) = result.numbers
    read = command("show", number, "--json").json
    assert read["cells"] == plain(result)["cells"]
    assert read["runs"] == plain(result)["runs"]
    (cell,) = result.cells
    assert set(cell.metrics) >= AT_LEAST
    shown = command("show", number)
    assert shown.out.rstrip("\n") == str(result)


def test_python_reads_what_the_command_line_measured(command: Stone) -> None:
    options = ("--budget", "2s", "--threads", "1", "--json")
    measured = command("compare", SMALL, "-d", "null", *options).json
    latest = stone.runs()[-1]
    assert plain(latest)["cells"] == measured["cells"]
    (cell,) = latest.cells
    assert set(cell.metrics) >= AT_LEAST
    figures = measured["cells"][0]["metrics"]
    assert {key: found.value for key, found in cell.metrics.items()} == {
        key: found["value"] for key, found in figures.items()
    }


def test_python_and_the_command_line_write_the_same_program(command: Stone) -> None:
    assert stone.translate("lenet", "jax/flax") == command("translate", "lenet", "--to", "jax").out


def test_a_call_is_kept_with_its_words(result: stone.Result) -> None:
    assert result.facts.words == ("tensorstone.compare", "small-cnn", "null/nothing")
    assert result.facts.command == "compare"


def test_a_run_has_every_block_of_every_trial(result: stone.Result) -> None:
    (record,) = result.records()
    assert all(trial.blocks for trial in record.trials)
    assert len(record.trials) == result.cells[0].metrics["step_s"].n
    assert next(iter(record.programs.values())).text.startswith('"""')


def test_a_run_has_its_workload_to_run_it_again(result: stone.Result) -> None:
    assert stone.show(1).workload == find(str(SMALL))
    again = stone.prove(stone.show(1).workload, "null", progress=False)
    assert again.facts.workload.sha == result.facts.workload.sha


def test_runs_are_found_again(result: stone.Result) -> None:
    again = stone.compare(SMALL, ["null/nothing"], budget="2s", threads=1, progress=False)
    assert [run.numbers for run in stone.runs()] == [(1,), (2,)]
    assert stone.show().numbers == stone.show("latest").numbers == again.numbers == (2,)
    assert stone.show(1).numbers == stone.show(result.facts.uuid[:8]).numbers == result.numbers
    assert stone.show(1, 2).numbers == stone.show("1-2").numbers == (1, 2)
    assert str(stone.show(1)) == str(result)
    listed = str(stone.runs())
    assert result.facts.uuid[:8] in listed and again.facts.uuid[:8] in listed


def test_a_sweep_is_one_result_of_several_runs() -> None:
    swept = stone.compare(SMALL, "null", budget=1, threads=1, batch=[4, 8], progress=False)
    assert [run.facts.workload.batch for run in swept.runs] == [4, 8]
    assert [cell.workload for cell in swept.cells] == ["small-cnn-batch4", "small-cnn-batch8"]
    assert swept.cell("null/nothing", "small-cnn-batch8") is swept.cells[1]


def test_proofs_are_runs_too() -> None:
    proven = stone.prove(SMALL, "null,rogue/wrong", progress=False)
    assert not proven.ok
    assert {cell.dialect: cell.status for cell in proven.cells} == {
        "null/nothing": "ok",
        "rogue/wrong": "unequal",
    }
    assert "rogue/wrong" in str(proven) and "rogue/wrong" in str(proven.proofs())


@pytest.mark.frameworks("pytorch")
def test_a_training_is_kept_with_its_curve() -> None:
    trained = stone.train(SMALL, "pytorch/eager", data="synthetic", threads=1, progress=False)
    assert trained.ok, str(trained)
    (done,) = trained.runs
    (point,) = done.trained[0].curve  # type: ignore[union-attr]
    assert point.epoch == 1
    chart = trained.plot().to_dict()
    assert "small-cnn" in str(trained) or "small CNN" in str(trained)
    assert "training time, s" in str(chart)


def plain(result: stone.Result) -> dict[str, Any]:
    """As it is after a journey through JSON."""
    import json

    from tensorstone.cli.console import as_json

    found: dict[str, Any] = json.loads(as_json(result.to_json()))
    return found
