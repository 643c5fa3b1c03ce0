"""Whole trainings with real frameworks: figures, agreement, Ctrl-C, and going on."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import psutil
import pytest

from cli.conftest import COMMAND, TESTS, Stone, environment

pytestmark = pytest.mark.frameworks("pytorch", "mxnet")

LINE = TESTS / "workloads" / "small_line.py"
WORDS = ("train", LINE, "--data", "synthetic", "--threads", "1")
FIGURE = {"value", "low", "high", "unit", "samples", "kind"}


def test_two_frameworks_learn_the_same_line(stone: Stone) -> None:
    said = stone(*WORDS, "-d", "pytorch/eager,mxnet/module", "--seeds", "3", "--json")
    assert said.code == 0, said.err
    (run,) = said.json["runs"]
    assert (run["epochs"], run["seeds"], run["metric"]) == (3, 3, "r2")
    assert run["data"]["train_samples"] == 203
    # The rule behind the samples is linear: the linear model leaves nothing to explain.
    assert run["baseline"] == {
        "value": pytest.approx(1.0),
        "model": "linear model",
        "unbeaten_by": list(said.cells),
    }
    for cell in said.cells.values():
        metrics = cell["metrics"]
        epochs = metrics.pop("epochs")
        wanted = {"final_metric", "train_s", "train_samples_per_s", "best_epoch", "target_s"}
        assert wanted | {"parameters", "peak_rss_bytes"} <= set(metrics)
        assert {"saved_bytes", "load_s", "predict_latency_s"} <= set(metrics)
        assert cell["proof"]["reload"]["passed"]
        assert all(set(figure) == FIGURE for figure in metrics.values())
        assert metrics["final_metric"]["samples"] == 3
        assert metrics["final_metric"]["value"] > 0.5
        assert [epoch["epoch"] for epoch in epochs] == [1, 2, 3]
        for key in ("loss", "metric", "epoch_s", "train_s"):
            assert all(set(epoch[key]) == FIGURE for epoch in epochs)
        losses = [epoch["loss"]["value"] for epoch in epochs]
        assert losses == sorted(losses, reverse=True)
        outcome = cell["proof"]["outcome"]
        assert outcome["passed"] is True
        assert outcome["error"] <= outcome["tolerance"]
    # Same weights, same batches, same order: seed by seed they end at the same numbers.
    one, other = (cell["seeds"] for cell in said.cells.values())
    assert one == pytest.approx(other, rel=1e-4)
    assert len(set(one)) == 3


def test_plain_lines_and_a_table_when_nobody_watches(stone: Stone) -> None:
    said = stone(*WORDS, "-d", "pytorch/eager", "--epochs", "2")
    assert said.code == 0, said.err
    assert "pytorch/eager, epoch 1/2: loss" in said.err
    assert "samples/s" in said.err and "left" in said.err
    assert "\033" not in said.out + said.err
    assert max(map(len, said.out.splitlines())) <= 100
    assert "(linear model)" in said.out
    assert "No better than the trivial model (linear model, 1.0000): pytorch/eager." in said.out
    assert "After training" in said.out and "save/load" in said.out
    assert "synthetic" in said.out
    assert "outcome not judged" in said.out


def test_ctrl_c_leaves_nothing_and_the_same_command_goes_on(stone: Stone, tmp_path: Path) -> None:
    words = [*map(str, WORDS), "-d", "pytorch/eager,mxnet/module", "--epochs", "150", "--json"]
    first = subprocess.Popen(
        [*COMMAND, *words],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    ledger = tmp_path / "data" / "ledger.sqlite"
    _wait(ledger, "SELECT 1 FROM trials WHERE status = 'ok'", first)
    _wait(ledger, "SELECT 1 FROM trials WHERE status = 'running'", first)
    workers = psutil.Process(first.pid).children(recursive=True)
    os.kill(first.pid, signal.SIGINT)
    _, said = first.communicate(timeout=60)
    assert first.returncode == 130
    assert "interrupted" in said and "Traceback" not in said
    psutil.wait_procs(workers, timeout=10)
    assert not [worker for worker in workers if worker.is_running()]

    kept = _rows(ledger, "SELECT id, wall_s FROM trials WHERE status = 'ok'")
    second = stone(*words)
    assert second.code == 0, second.err
    (run,) = second.json["runs"]
    assert run["resumed_trials"] == 1
    assert _rows(ledger, "SELECT id, wall_s FROM trials WHERE status = 'ok'")[:1] == kept
    assert _rows(ledger, "SELECT status FROM runs") == [("finished",)]
    for cell in second.cells.values():
        assert len(cell["metrics"]["epochs"]) == 150


def _rows(ledger: Path, sql: str) -> list[tuple[object, ...]]:
    if not ledger.exists():
        return []
    with sqlite3.connect(f"file:{ledger}?mode=ro", uri=True) as db:
        try:
            return db.execute(sql).fetchall()
        except sqlite3.OperationalError:  # its tables are just being made
            return []


def _wait(ledger: Path, sql: str, process: subprocess.Popen[str]) -> None:
    for _ in range(6000):
        if _rows(ledger, sql):
            return
        assert process.poll() is None, "it ended before it could be interrupted"
        time.sleep(0.05)
    raise AssertionError("that never happened")
