"""Deployment and feeding, with real processes: what is measured, and what fails alone."""

from __future__ import annotations

from dataclasses import replace as replaced
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from racing import PROGRAMS, QUICK, Make, alone, rewritten

from tensorstone.analysis.reloading import INCOMPARABLE
from tensorstone.analysis.summary import absent, metrics
from tensorstone.race import stop
from tensorstone.race.deployment import difference
from tensorstone.race.plan import Contestant, Plan
from tensorstone.race.process_run import Assignment
from tensorstone.race.rounds import race
from tensorstone.results.estimate import Estimate
from tensorstone.results.events import SilentObserver
from tensorstone.results.outcome import Outcome
from tensorstone.results.settings import RaceSettings
from tensorstone.results.trial import Deployment, Feeding, Trial

COMPLETE = (PROGRAMS / "complete.py").read_text(encoding="utf-8")
ASSIGNMENT = Assignment(1, 0, 60.0, deploy=True)
FIGURES = {
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
BY_WORKERS = "feed_workers_samples_per_s"


def edited(make: Make, folder: Path, old: str, new: str) -> Contestant:
    """The program that is deployed well, with one line of it changed."""
    assert old in COMPLETE
    return rewritten(make("complete"), folder / "edited.py", COMPLETE.replace(old, new))


def figures(*trials: Trial) -> dict[str, Estimate]:
    """Those of deployment and feeding."""
    found = metrics(trials, batch=8)
    return {key: found[key] for key in found.keys() & {*FIGURES, BY_WORKERS}}


def measured(contestant: Contestant, settings: RaceSettings = QUICK) -> Trial:
    trial = alone(contestant, ASSIGNMENT, settings)
    assert trial.outcome.ok and len(trial.blocks) == settings.turns, trial.outcome
    assert list(contestant.invocation.workdir.iterdir()) == [], "files were left behind"
    return trial


def test_every_figure_is_there(make: Make) -> None:
    trial = measured(make("complete"))
    assert trial.deployment is not None and trial.deployment.outcome.ok, trial.deployment
    assert trial.deployment.reload_error == 0.0
    assert trial.deployment.saved_bytes == 128 + 2 * 8 * 4  # NumPy's header and the weights
    assert (
        2 <= len(trial.deployment.latency_s) <= 1000 and 2 <= len(trial.deployment.predict_s) <= 200
    )
    found = figures(trial, replace(trial, round=2), replace(trial, round=3))
    assert set(found) == FIGURES
    assert found["predict_latency_s"].n == 3 * len(trial.deployment.latency_s)
    for metric in found.values():
        assert metric.low is not None and metric.high is not None
        assert metric.low <= metric.value * (1 + 1e-9) and metric.value <= metric.high * (1 + 1e-9)


def test_nobody_asks_unless_told(make: Make) -> None:
    trial = alone(make("complete"), replaced(ASSIGNMENT, deploy=False), QUICK)
    assert trial.outcome.ok
    assert trial.deployment is None and trial.feeding is None


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
    assert trial.deployment is not None and said in trial.deployment.outcome.reason
    assert trial.deployment.reload_error is None
    reached = figures(trial)
    assert "feed_samples_per_s" in reached and "predict_latency_s" not in reached
    # What came before the failure is kept.
    assert ("save_s" in reached) == (case in ("a load that fails", list(FAILURES)[-1]))
    assert ("load_s" in reached) == (case == list(FAILURES)[-1])


def test_a_load_of_other_weights_is_seen(make: Make, tmp_path: Path) -> None:
    trial = measured(edited(make, tmp_path, 'np.load(f"{path}.npy")', "np.ones((2, 8))"))
    assert trial.deployment is not None and trial.deployment.outcome.ok
    assert trial.deployment.reload_error is not None and trial.deployment.reload_error > 1e-4


def test_a_loader_that_cannot_be_iterated_has_a_reason_instead(make: Make, tmp_path: Path) -> None:
    contestant = edited(make, tmp_path, "def learner", "class Held:\n    pass\n\n\ndef learner")
    text = contestant.program.read_text(encoding="utf-8")
    text = text.replace(
        "    for i in range(0, len(x) - batch_size + 1, batch_size):\n"
        "        yield x[i : i + batch_size], y[i : i + batch_size]",
        "    held = Held()\n    held.x, held.size = x, batch_size\n    return held",
    ).replace("for x, _ in batches:", "for x in [batches.x[:8]]:")
    trial = measured(rewritten(contestant, contestant.program, text))
    assert trial.feeding == Feeding(absent="what its batches returns cannot be iterated by itself")
    assert absent([trial, trial]) == [f"no feeding rate: {trial.feeding.absent}"]
    assert trial.deployment is not None and trial.deployment.outcome.ok
    assert "feed_share" not in figures(trial)


def test_worker_processes_are_asked_for_where_there_can_be_any(make: Make) -> None:
    with_workers = replace(QUICK, feed_workers=2)
    trial = measured(make("complete"), with_workers)
    assert BY_WORKERS in figures(trial)
    none = measured(make("null"), with_workers)
    assert BY_WORKERS not in figures(none)
    (reason,) = absent([none])
    assert "cannot be made by other processes" in reason


def test_a_race_measures_so_many_deployments_and_no_more(make: Make) -> None:
    settings = replace(QUICK, deployments=1, min_rounds=2, budget_s=0.1)
    trials = race(Plan("test", (make("complete"),), settings), SilentObserver()).trials
    assert [trial.deployment is not None for trial in trials] == [True, False, False]


def test_a_deployment_that_keeps_failing_is_not_asked_for_again() -> None:
    settings = RaceSettings(deployments=5)
    crash, hang = (
        Deployment(Outcome("crashed", "SIGSEGV")),
        Deployment(Outcome("timed-out", "predict")),
    )
    assert stop.wants_deployment(settings, [])
    assert stop.wants_deployment(settings, [crash])
    assert not stop.wants_deployment(settings, [crash, Deployment(), crash])
    assert not stop.wants_deployment(settings, [hang])
    assert not stop.wants_deployment(settings, [Deployment()] * 5)


def test_the_difference_of_predictions() -> None:
    before = np.array([[1.0, -4.0]], np.float32)
    assert difference(before, before.copy()) == 0.0
    assert difference(before, before + np.float32(0.5)) == pytest.approx(0.125)
    assert difference(before, before.T) == INCOMPARABLE
    assert difference(before, np.array([[np.nan, -4.0]], np.float32)) == INCOMPARABLE
    lost = np.array([np.nan, 1.0], np.float32)
    assert difference(lost, lost.copy()) == 0.0
    assert difference(np.zeros(2), np.ones(2)) == INCOMPARABLE
