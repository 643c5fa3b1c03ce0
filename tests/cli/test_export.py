"""`stone export` as a person runs it, on a real ledger of an earlier version."""

from __future__ import annotations

import csv
import io
import os
import pty
import subprocess
from pathlib import Path

import polars
import pytest
from old_ledger import unpack

from .conftest import COMMAND, Stone, environment


@pytest.fixture(autouse=True)
def ledger(tmp_path: Path) -> Path:
    return unpack(tmp_path / "data")


def test_every_format_has_the_same_rows(stone: Stone, tmp_path: Path) -> None:
    said = stone("export", "1-4", "--json")
    assert said.code == 0 and said.json["command"] == "export"
    rows = said.json["rows"]
    assert len(rows) > 150 and {row["run"] for row in rows} == {1, 2, 3, 4}
    assert stone("export", "1-4", "--format", "json").out == said.out
    table = list(csv.DictReader(io.StringIO(stone("export", "1-4", "--format", "csv").out)))
    assert [(row["dialect"], row["metric"] or None) for row in table] == [
        (row["dialect"], row["metric"]) for row in rows
    ]
    assert stone("export", "1-4", "--format", "parquet", "--out", "all.parquet").code == 0
    assert polars.read_parquet(tmp_path / "all.parquet").to_dicts() == rows
    lines = stone("export", "1-4", "--format", "md").out.splitlines()
    assert sum(line.startswith("| ") for line in lines) == len(rows) + 4 * 2
    assert sum(line.startswith("Machine: workstation, AMD EPYC, 2 cores") for line in lines) == 4


def test_figures_are_those_of_show(stone: Stone) -> None:
    shown = stone("show", "2", "--json").cells["mlx/eager"]["metrics"]
    rows = [row for row in stone("export", "2", "--json").json["rows"]
            if row["dialect"] == "mlx/eager" and row["metric"] != "ratio"]  # fmt: skip
    assert {row["metric"]: (row["value"], row["low"], row["n"]) for row in rows} == {
        key: (one["value"], one["low"], one["samples"]) for key, one in shown.items()
    }


def test_by_default_it_is_the_latest_command(stone: Stone) -> None:
    assert {row["run"] for row in stone("export", "--json").json["rows"]} == {4}


def test_parquet_goes_through_a_pipe(stone: Stone, tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "export", "2", "--format", "parquet"],
        capture_output=True,
        env=environment(tmp_path),
        timeout=120,
    )
    assert done.returncode == 0
    assert polars.read_parquet(io.BytesIO(done.stdout)).height > 30


def test_parquet_is_not_written_to_a_terminal(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    try:
        done = subprocess.run(
            [*COMMAND, "export", "2", "--format", "parquet"],
            stdout=theirs,
            stderr=subprocess.PIPE,
            env=environment(tmp_path),
            text=True,
            timeout=120,
        )
    finally:
        os.close(theirs)
        os.close(ours)
    assert done.returncode == 2
    assert "standard output is a terminal" in done.stderr and "--out" in done.stderr


@pytest.mark.parametrize("place", ["missing/x.csv", "."])
def test_a_place_where_no_file_can_be_is_said(stone: Stone, place: str) -> None:
    said = stone("export", "2", "--format", "csv", "--out", place)
    assert said.code == 2 and said.err.startswith("error: cannot write")
    assert "Traceback" not in said.err


def test_a_full_disk_leaves_what_was_there_before(stone: Stone, tmp_path: Path) -> None:
    """A file of at most so many bytes, as a disk with so much room."""
    target = tmp_path / "table.csv"
    target.write_text("before", encoding="utf-8")
    done = subprocess.run(
        ["sh", "-c", 'ulimit -f 4; trap "" XFSZ; exec "$@"', "sh",
         *COMMAND, "export", "2", "--format", "csv", "--out", str(target)],
        capture_output=True,
        text=True,
        env=environment(tmp_path) | {"STONE_CACHE": str(tmp_path / "cache")},
        timeout=120,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert target.read_text(encoding="utf-8") == "before"
    assert [path.name for path in tmp_path.glob("*.part")] == []
    assert [path.name for path in tmp_path.glob(".*.part")] == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", [("export", "2"), ("runs",), ("show", "2", "--json")])
def test_standard_output_on_a_full_disk_is_a_message(tmp_path: Path, words: tuple[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*COMMAND, *words],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(tmp_path),
            timeout=120,
        )
    assert done.returncode == 2
    assert done.stderr.startswith("error: the output cannot be written: No space left on device")
    assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr


def test_a_format_that_is_none_is_said(stone: Stone) -> None:
    said = stone("export", "--format", "xlsx")
    assert said.code == 2 and "xlsx" in said.err and "parquet" in said.err


def test_a_ledger_without_runs_is_said(stone: Stone, ledger: Path) -> None:
    ledger.unlink()
    said = stone("export", "--format", "csv")
    assert said.code == 2 and "no runs yet" in said.err and said.out == ""
