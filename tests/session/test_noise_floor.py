"""Every race carries the noise floor of its own number of threads."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tensorstone.models.workload import Workload
from tensorstone.report.as_json import results_json
from tensorstone.results.codec import to_json
from tensorstone.results.comparison import Comparison
from tensorstone.results.run import Noise
from tensorstone.session import noise
from tensorstone.support.folders import cache_dir


def keep(threads: int, floor: float, age_s: float = 0.0) -> Path:
    measured = Noise(floor, 1 + floor, 1.0, 1 + floor, 5, time.time() - age_s, threads)
    path = cache_dir() / f"noise-{threads}.json"
    path.write_text(to_json(measured), encoding="utf-8")
    return path


def test_a_sweep_over_threads_has_a_floor_each(
    compared: Callable[..., list[Comparison]], line: Workload
) -> None:
    keep(1, 0.01)
    keep(2, 0.03)
    done = compared(line, "linear/dot", threads=[1, 2])
    assert [(one.facts.threads, one.facts.noise_floor) for one in done] == [(1, 0.01), (2, 0.03)]
    assert [run["noise_floor"] for run in results_json(done)["runs"]] == [0.01, 0.03]


@pytest.mark.usefixtures("rooms")
def test_a_floor_of_another_number_of_threads_is_none() -> None:
    keep(1, 0.01)
    assert noise.known(2) is None


@pytest.mark.usefixtures("rooms")
def test_a_floor_of_yesterday_or_of_a_busy_machine_is_none() -> None:
    keep(1, 0.01, age_s=noise.DAY_S + 1)
    keep(2, noise.BUSY + 0.01)
    assert (noise.known(1), noise.known(2)) == (None, None)


@pytest.mark.usefixtures("rooms")
@pytest.mark.parametrize("text", ["", "{", "null", '{"floor": "low"}', "[" * 5000, "\0" * 20_000])
def test_a_damaged_floor_is_none(text: str) -> None:
    keep(1, 0.01).write_text(text, encoding="utf-8")
    assert noise.known(1) is None
