"""What each command prints and answers."""

from __future__ import annotations

import ast
from pathlib import Path

from cli.conftest import SMALL, Stone
from tensorstone.cli.app import COMMANDS

FEATURES = {"workload", "dialect", "framework", "version", "lane", "status", "reason", "proof"}
MEASURED = {"metrics", "rank", "ratio"}


def test_list_names_workloads_and_dialects(stone: Stone) -> None:
    said = stone("list", "--json").json
    assert said["schema"] == 1
    assert {"lenet", "googlenet"} <= {row["name"] for row in said["workloads"]}
    assert {"pytorch/eager", "null/nothing"} <= {row["name"] for row in said["dialects"]}


def test_tables_fit_a_hundred_columns(stone: Stone) -> None:
    for what in ("workloads", "dialects", "versions", "layers", "deviations"):
        said = stone("list", what)
        assert said.code == 0
        assert max(map(len, said.out.splitlines())) <= 100


def test_every_command_has_help_with_examples(stone: Stone) -> None:
    for command in COMMANDS:
        said = stone(command, "--help")
        assert said.code == 0
        assert f"stone {command}" in said.out.replace("Usage: stone", "")
        assert "Examples" in said.out


def test_translate_prints_a_program_and_nothing_else(stone: Stone) -> None:
    said = stone("translate", "lenet", "--to", "pytorch/eager")
    assert said.code == 0
    assert said.err == ""
    names = [node.name for node in ast.parse(said.out).body if isinstance(node, ast.FunctionDef)]
    assert names[:2] == ["network", "learner"]


def test_translate_writes_files(stone: Stone, tmp_path: Path) -> None:
    said = stone("translate", SMALL, "--to", "mxnet", "--out", tmp_path / "programs")
    assert said.code == 0
    assert len(list((tmp_path / "programs").glob("small_cnn_mxnet_*.py"))) == 6


def test_doctor_looks_without_measuring(stone: Stone) -> None:
    said = stone("doctor", "--quick", "--json")
    assert said.json["machine"]["cores"] >= 1
    assert {"processors", "memory", "PyTorch"} <= {f["what"] for f in said.json["findings"]}


def test_misbehaving_dialects_end_in_their_own_cells(stone: Stone) -> None:
    """Every other cell is still there, and the bad ones say what happened."""
    words = ("--budget", "3s", "--timeout", "25s", "--json")
    said = stone("compare", SMALL, "-d", "rogue,null", *words, memory=3 * 2**30)
    assert said.code == 1
    cells = said.cells
    assert {name: cell["status"] for name, cell in cells.items()} == {
        "rogue/segfault": "crashed",
        "rogue/hang": "timed-out",
        "rogue/garbage": "failed",
        "rogue/hog": "out-of-memory",
        "rogue/wrong": "unequal",
        "null/nothing": "ok",
    }
    assert "SIGSEGV" in cells["rogue/segfault"]["reason"]
    assert "25 s" in cells["rogue/hang"]["reason"]
    assert all(set(cell) >= FEATURES | MEASURED for cell in cells.values())
    timed = cells["null/nothing"]["metrics"]["step_s"]
    assert set(timed) == {"value", "low", "high", "unit", "samples", "kind"}
    assert timed["samples"] >= 2
    assert cells["null/nothing"]["rank"] is None
    assert cells["null/nothing"]["deployment"]["status"] == "ok"
    assert {"save_s", "load_s", "predict_latency_s"} <= set(cells["null/nothing"]["metrics"])


def test_what_cannot_be_written_is_no_failure_unless_nothing_can(stone: Stone) -> None:
    some = stone("translate", "gru-imdb", "--to", "cntk,pytorch/eager", "--json")
    assert some.code == 0
    assert [cell["status"] for cell in some.json["cells"]] == ["unsupported", "ok"]
    assert stone("translate", "gru-imdb", "--to", "cntk/layers").code == 1


def test_all_environments_are_not_removed_without_asking(stone: Stone) -> None:
    said = stone("env", "remove", "all", STONE_CACHE="cache")
    assert said.code == 2 and "add --yes" in said.err


def test_env_list_is_one_line_of_json(stone: Stone) -> None:
    said = stone("env", "list", "--json", STONE_CACHE="cache")
    assert len(said.out.splitlines()) == 1
    assert said.json["command"] == "env list" and said.json["environments"]


def test_help_says_what_exit_codes_mean(stone: Stone) -> None:
    said = " ".join(stone("--help").out.split())
    assert "3 another stone is timing" in said and "130 interrupted" in said
