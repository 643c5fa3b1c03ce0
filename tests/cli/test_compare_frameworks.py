"""The whole path with real frameworks: prove, time, rank, keep; killed, and gone on."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import psutil
import pytest

from cli.conftest import COMMAND, SMALL, Said, Stone, environment
from tensorstone.race.group_run import FEWEST_TURNS

pytestmark = pytest.mark.frameworks("pytorch", "mxnet")

# One thread: several tests run at once, and threads that wait spin.
PAIR = ("compare", SMALL, "-d", "pytorch/eager,mxnet/gluon-static", "--threads", "1", "--json")

DEPLOYMENT = {
    "saved_bytes",
    "save_s",
    "load_s",
    "first_predict_s",
    "predict_latency_s",
    "predict_latency_p95_s",
    "predict_latency_p99_s",
    "predict_throughput",
    "feed_samples_per_s",
    "slice_samples_per_s",
    "feed_share",
}

COMPLETE = "SELECT id, cell, round, wall_s FROM trials WHERE status = 'ok' ORDER BY id"
# Of a group run that the kill cut short these count too.
CUT_LATE = (
    "SELECT id FROM trials WHERE status = 'running'"
    f" AND (SELECT count(*) FROM blocks WHERE trial = trials.id) >= {FEWEST_TURNS}"
)


def test_compare_ranks_what_it_proved(stone: Stone) -> None:
    said = stone(*PAIR, "--budget", "10s")
    assert said.code == 0, said.err
    cells = said.cells
    assert all(cell["status"] == "ok" for cell in cells.values())
    assert min(cell["rank"] for cell in cells.values()) == 1
    for cell in cells.values():
        levels = [cell["proof"][n] for n in ("shape", "forward", "step", "trace", "reload")]
        assert all(level["passed"] for level in levels)
        assert cell["proof"]["diagnosis"] is None
        wanted = {"step_s", "cold_import_s", "cold_first_step_s", "peak_rss_bytes", "cpu_use"}
        assert wanted | {"code_lines", "code_complexity"} <= set(cell["metrics"])
        assert set(cell["metrics"]) >= DEPLOYMENT
        assert cell["deployment"] == {"status": "ok", "reason": "", "last_output": ""}
    control = said.json["runs"][0]["control"]
    assert control["dialect"] in cells and control["ratio"]["samples"] >= 1


def test_a_killed_comparison_goes_on_and_loses_nothing(stone: Stone, tmp_path: Path) -> None:
    words = [*map(str, PAIR), "--budget", "12s"]
    first = subprocess.Popen(
        [*COMMAND, *words],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    ledger = tmp_path / "data" / "ledger.sqlite"
    _wait_for_a_trial(ledger, first)
    workers = psutil.Process(first.pid).children(recursive=True)
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    psutil.wait_procs(workers, timeout=10)
    assert not [worker for worker in workers if worker.is_running()]
    before, cut = _trials(ledger), _rows(ledger, CUT_LATE)

    second: Said = stone(*words)
    assert second.code == 0, second.err
    (run,) = second.json["runs"]
    assert run["resumed_trials"] == len(before) + len(cut)
    assert before and set(before) <= set(_trials(ledger))
    counts = [cell["metrics"]["step_s"]["samples"] for cell in second.cells.values()]
    assert min(counts) >= 2


def _trials(ledger: Path) -> list[tuple[object, ...]]:
    """The complete trials, in the order they were made."""
    return _rows(ledger, COMPLETE)


def _rows(ledger: Path, sql: str) -> list[tuple[object, ...]]:
    if not ledger.exists():
        return []
    with sqlite3.connect(f"file:{ledger}?mode=ro", uri=True) as db:
        try:
            return db.execute(sql).fetchall()
        except sqlite3.OperationalError:  # its tables are just being made
            return []


def _wait_for_a_trial(ledger: Path, process: subprocess.Popen[bytes]) -> None:
    for _ in range(3000):
        if _trials(ledger):
            return
        assert process.poll() is None, "it ended before it could be killed"
        time.sleep(0.1)
    raise AssertionError("no trial was ever made")
