"""Life after training and feeding, with real processes: what is measured, and what fails alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from racing import PROGRAMS, QUICK, Make, alone

from tensorstone.analysis import deployment_metrics as life_metrics
from tensorstone.race import stop
from tensorstone.race.deployment import difference
from tensorstone.race.plan import Contestant, Plan, Settings
from tensorstone.race.process_run import Slot
from tensorstone.race.rounds import race
from tensorstone.results.events import Silent
from tensorstone.results.outcome import Outcome
from tensorstone.results.trial import Block, Feeding, Life, Trial

LIVES = (PROGRAMS / "lives.py").read_text(encoding="utf-8")
SLOT = Slot(1, 0, 60.0, life=True)


def edited(make: Make, folder: Path, old: str, new: str) -> Contestant:
    """The program that lives, with one line of it changed."""
    assert old in LIVES
    program = folder / "edited.py"
    program.write_text(LIVES.replace(old, new), encoding="utf-8")
    return make("lives", program=program)


def measured(contestant: Contestant, settings: Settings = QUICK) -> Trial:
    trial = alone(contestant, SLOT, settings)
    assert trial.outcome.ok and len(trial.blocks) == settings.turns, trial.outcome
    assert list(contestant.invocation.workdir.iterdir()) == [], "files were left behind"
    return trial


def test_every_figure_is_there(make: Make) -> None:
    trial = measured(make("lives"))
    assert trial.life is not None and trial.life.outcome.ok, trial.life
    assert trial.life.reload_error == 0.0
    assert trial.life.saved_bytes == 128 + 2 * 8 * 4  # NumPy's header and the weights
    assert 2 <= len(trial.life.latency_s) <= 1000 and 2 <= len(trial.life.predict_s) <= 200
    found = life_metrics.metrics([trial, replace(trial, round=2), replace(trial, round=3)], 8)
    assert set(found) == {
        "first_predict_s",
        "predict_latency_s",
        "predict_latency_p95_s",
        "predict_latency_p99_s",
        "predict_throughput",
        "saved_bytes",
        "save_s",
        "load_s",
        "feed_samples_per_s",
        "slice_samples_per_s",
        "feed_share",
    }
    assert found["predict_latency_s"].samples == 3 * len(trial.life.latency_s)
    for metric in found.values():
        assert metric.low is not None and metric.high is not None
        assert metric.low <= metric.value * (1 + 1e-9) and metric.value <= metric.high * (1 + 1e-9)


def test_nobody_asks_unless_told(make: Make) -> None:
    trial = alone(make("lives"), replace(SLOT, life=False), QUICK)
    assert trial.outcome.ok
    assert trial.life is None and trial.feeding is None


FAILURES = {
    "a save that fails": ("np.save(path", "raise OSError('no room')\n    np.save(path", "no room"),
    "a load that fails": ('{"fc.weight": np.load(f"{path}.npy")}', "1 / 0", "ZeroDivision"),
    "a predict that dies": ("return x @", "__import__('os').abort()\n    return x @", "SIGABRT"),
    "a predict of one sample that dies": (
        "return x @",
        "len(x) == 1 and __import__('os').abort()\n    return x @",
        "SIGABRT",
    ),
}


@pytest.mark.parametrize("case", FAILURES)
def test_what_fails_after_training_leaves_the_training(
    make: Make, tmp_path: Path, case: str
) -> None:
    old, new, said = FAILURES[case]
    trial = measured(edited(make, tmp_path, old, new))
    assert trial.life is not None and said in trial.life.outcome.reason
    assert trial.life.reload_error is None
    reached = life_metrics.metrics([trial], 8)
    assert "feed_samples_per_s" in reached and "predict_latency_s" not in reached
    # What came before the failure is kept.
    assert ("save_s" in reached) == (case in ("a load that fails", list(FAILURES)[-1]))
    assert ("load_s" in reached) == (case == list(FAILURES)[-1])


def test_a_load_of_other_weights_is_seen(make: Make, tmp_path: Path) -> None:
    trial = measured(edited(make, tmp_path, 'np.load(f"{path}.npy")', "np.ones((2, 8))"))
    assert trial.life is not None and trial.life.outcome.ok
    assert trial.life.reload_error is not None and trial.life.reload_error > 1e-4


def test_a_loader_that_cannot_be_iterated_has_a_reason_instead(make: Make, tmp_path: Path) -> None:
    contestant = edited(make, tmp_path, "def learner", "class Held:\n    pass\n\n\ndef learner")
    text = contestant.program.read_text(encoding="utf-8")
    text = text.replace(
        "    for i in range(0, len(x) - batch_size + 1, batch_size):\n"
        "        yield x[i : i + batch_size], y[i : i + batch_size]",
        "    held = Held()\n    held.x, held.size = x, batch_size\n    return held",
    ).replace("for x, _ in batches:", "for x in [batches.x[:8]]:")
    contestant.program.write_text(text, encoding="utf-8")
    trial = measured(contestant)
    assert trial.feeding == Feeding(absent="what its batches returns cannot be iterated by itself")
    assert life_metrics.absent([trial, trial]) == [f"no feeding rate: {trial.feeding.absent}"]
    assert trial.life is not None and trial.life.outcome.ok
    assert "feed_share" not in life_metrics.metrics([trial], 8)


def test_worker_processes_are_asked_for_where_there_can_be_any(make: Make) -> None:
    with_workers = replace(QUICK, feed_workers=2)
    trial = measured(make("lives"), with_workers)
    assert "feed_workers_samples_per_s" in life_metrics.metrics([trial], 8)
    none = measured(make("null"), with_workers)
    assert "feed_workers_samples_per_s" not in life_metrics.metrics([none], 8)
    (reason,) = life_metrics.absent([none])
    assert "cannot be made by other processes" in reason


def test_a_race_measures_so_many_lives_and_no_more(make: Make) -> None:
    settings = replace(QUICK, life_rounds=1, min_rounds=2, budget_s=0.1)
    trials = race(Plan("test", (make("lives"),), settings), Silent()).trials
    assert [trial.life is not None for trial in trials] == [True, False, False]


def test_a_life_that_keeps_failing_is_not_asked_for_again() -> None:
    settings = Settings(life_rounds=5)
    crash, hang = Life(Outcome("crashed", "SIGSEGV")), Life(Outcome("timed-out", "predict"))
    assert stop.wants_life(settings, [])
    assert stop.wants_life(settings, [crash])
    assert not stop.wants_life(settings, [crash, Life(), crash])
    assert not stop.wants_life(settings, [hang])
    assert not stop.wants_life(settings, [Life()] * 5)


def lived(round: int, latency_s: tuple[float, ...]) -> Trial:
    block = Block(10, 1.0, 1.0, 0, 0, 0, 0)
    feeding = Feeding("", 20, (0.5, 0.2, 0.1), 20, (0.02,))
    life = Life(predict_s=(0.5, 0.25), latency_s=latency_s)
    return Trial("a", round, 0, blocks=(block,), feeding=feeding, life=life)


def test_figures_by_hand() -> None:
    found = life_metrics.metrics([lived(1, (1.0,) * 99 + (7.0,)), lived(2, (3.0,) * 300)], 8)
    assert found["predict_latency_s"].value == 3.0  # of all calls together
    assert found["predict_latency_p99_s"].samples == 400
    assert found["predict_latency_s"].low is None, "two processes have no interval"
    assert found["predict_throughput"].value == pytest.approx(8 / 0.375)
    assert found["feed_samples_per_s"].value == pytest.approx(8 * 20 / 0.2)
    assert found["slice_samples_per_s"].value == pytest.approx(8 * 20 / 0.02)
    assert found["feed_share"].value == pytest.approx((0.2 / 20) / (1.0 / 10))


CALLS = st.lists(st.floats(1e-6, 10.0), min_size=1, max_size=20)


@given(st.lists(CALLS, min_size=3, max_size=5))
@example([[1.9], [1.9], [1.9]])
def test_percentiles_are_ordered_inside_their_intervals(processes: list[list[float]]) -> None:
    found = [life_metrics.percentile(processes, share) for share in (0.5, 0.95, 0.99)]
    values = [metric.value for metric in found if metric]
    assert values == sorted(values) and len(values) == 3
    for metric in found:
        assert metric is not None and metric.low is not None and metric.high is not None
        assert metric.low <= metric.value <= metric.high
        assert metric.samples == sum(map(len, processes))


def test_the_difference_of_predictions() -> None:
    before = np.array([[1.0, -4.0]], np.float32)
    assert difference(before, before.copy()) == 0.0
    assert difference(before, before + np.float32(0.5)) == pytest.approx(0.125)
    assert difference(before, before.T) == float("inf")
    assert difference(before, np.array([[np.nan, -4.0]], np.float32)) == float("inf")
    lost = np.array([np.nan, 1.0], np.float32)
    assert difference(lost, lost.copy()) == 0.0
    assert difference(np.zeros(2), np.ones(2)) == float("inf")
