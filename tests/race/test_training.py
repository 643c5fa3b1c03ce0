"""A whole training in a real process: what it is fed, how it is judged, how it may end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from racing import Make, fed_by

from stone_worker.shuffling import epoch_order
from tensorstone.race.plan import Contestant
from tensorstone.race.training import PREDICTED_AT_ONCE, TrainingSpec, run
from tensorstone.results.trial import Epoch, Trial
from tensorstone.runtime.process import Worker


def judge(predictions: Path) -> float:
    with np.load(predictions) as file:
        return float(file["outputs"].mean())


def spec(contestant: Contestant, epochs: int = 2, **changes: object) -> TrainingSpec:
    test = contestant.data.with_name("test.npz")
    np.savez(test, x=np.zeros((PREDICTED_AT_ONCE + 3, 8), np.float32), y=np.zeros(1))
    made = TrainingSpec(contestant, 1, 0, epochs, test, judge, timeout_s=120.0)
    return replace(made, **changes)  # type: ignore[arg-type]


def keeping(epochs: list[Epoch]) -> Callable[[Trial, Epoch], None]:
    return lambda trial, epoch: epochs.append(epoch)


def test_every_epoch_is_another_order_of_the_same_samples(make: Make) -> None:
    epochs: list[Epoch] = []
    contestant = fed_by(make("tells"), 10)
    trial = run(spec(contestant), keeping(epochs))
    assert trial.outcome.ok, trial.outcome
    with np.load(contestant.data) as data:
        x = data["x"]
    for epoch in epochs:
        fed = x[epoch_order(len(x), 10, 1, epoch.number)]
        sums = [float(fed[i : i + 10].sum()) for i in range(0, 60, 10)]  # 4 of 64 are left over
        assert epoch.steps == 6
        assert epoch.loss == pytest.approx(sum(sums) / 6)
    assert epochs[0].loss != epochs[1].loss
    assert all(epoch.train_s > 0 for epoch in epochs)


def test_it_is_judged_after_each_epoch_in_one_process(make: Make) -> None:
    epochs: list[Epoch] = []
    trial = run(spec(fed_by(make("tells"), 16), epochs=3), keeping(epochs))
    assert [epoch.metric for epoch in epochs] == [4.0, 8.0, 12.0]
    assert trial.peak_rss_bytes and trial.cold_import_s


def test_predictions_are_asked_for_in_parts_and_come_back_whole(make: Make) -> None:
    def count(predictions: Path) -> float:
        with np.load(predictions) as file:
            return float(len(file["outputs"]))

    epochs: list[Epoch] = []
    run(spec(make("tells"), epochs=1, judge=count), keeping(epochs))
    assert epochs[0].metric == PREDICTED_AT_ONCE + 3


def test_training_that_diverges_ends_there(make: Make) -> None:
    epochs: list[Epoch] = []
    trial = run(spec(make("diverges"), epochs=5), keeping(epochs))
    assert len(epochs) == 1
    assert trial.outcome.status == "failed"
    assert trial.outcome.reason == "epoch 2: loss is nan: training diverged"


@pytest.mark.parametrize(
    ("name", "status"),
    [("segfault", "crashed"), ("refused_memory", "out-of-memory"), ("raises", "failed")],
)
def test_every_way_to_end_is_an_outcome(make: Make, name: str, status: str) -> None:
    epochs: list[Epoch] = []
    trial = run(spec(make(name)), keeping(epochs))
    assert trial.outcome.status == status
    assert epochs == []


class Patient(Worker):
    """Gives all but epochs the time they need on a busy machine."""

    def request(self, do: str, timeout_s: float, **fields: Any) -> dict[str, Any]:
        return super().request(do, timeout_s if do == "epoch" else 120.0, **fields)


def test_a_hang_is_ended(make: Make) -> None:
    trial = run(spec(make("hang"), timeout_s=1.5), keeping([]), Patient)
    assert (trial.outcome.status, trial.outcome.reason) == (
        "timed-out",
        "epoch took longer than 1.5 s",
    )


def test_too_few_samples_for_a_batch_are_refused(make: Make) -> None:
    trial = run(spec(fed_by(make("tells"), 65)), keeping([]))
    assert trial.outcome.status == "failed"
    assert "does not fill one batch of 65" in trial.outcome.reason
