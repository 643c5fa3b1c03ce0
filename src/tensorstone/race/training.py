"""A whole training: a fresh process is loaded, trained epoch by epoch, and judged after each.

Then the net is saved and another process loads it, as after a race (life.py).
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tensorstone.race.deployment import Afterwards
from tensorstone.race.plan import Contestant
from tensorstone.results.epoch import Epoch
from tensorstone.results.outcome import Failure, Outcome
from tensorstone.results.trial import Trial
from tensorstone.runtime.invocation import Invocation
from tensorstone.runtime.process import Worker

# Prediction keeps nothing for a backward pass, so it may take more samples at once than a small
# training batch; a call costs some frameworks tens of milliseconds.
PREDICTED_AT_ONCE = 256


@dataclass(frozen=True)
class Course:
    """One contestant's training with one seed: what it starts from, sees, and is judged by."""

    contestant: Contestant  # its weights are the seed's, its data the training samples
    seed: int  # of the order of the samples; the trial's round
    order: int  # its place in the round
    epochs: int
    test: Path
    judge: Callable[[Path], float]  # the metric of the predictions in a file
    timeout_s: float  # of one answer


def run(
    course: Course,
    ended: Callable[[Epoch], None],
    start_worker: Callable[[Invocation, int | None], Worker] = Worker,
) -> Trial:
    """Train once; `ended` hears every epoch. Whatever the worker does, a trial comes back."""
    start = time.monotonic()
    sitting = _Sitting(course, ended)
    invocation = course.contestant.invocation

    def fresh() -> Worker:
        return start_worker(invocation, None)

    with tempfile.TemporaryDirectory(dir=invocation.workdir) as folder:
        graduate = replace(course.contestant, data=course.test)
        after = Afterwards(graduate, Path(folder), course.timeout_s)
        try:
            with fresh() as worker:
                sitting.train(worker)
                after.in_its_process(worker)
            after.in_a_fresh_one(fresh)
            sitting.keep(life=after.life)
        except Failure as failure:
            sitting.keep(outcome=failure.outcome)
    return replace(sitting.trial, wall_s=time.monotonic() - start)


class _Sitting:
    """A training in the making: what is known before a crash is kept."""

    def __init__(self, course: Course, ended: Callable[[Epoch], None]) -> None:
        self.trial = Trial(course.contestant.dialect, course.seed, course.order)
        self._course, self._ended = course, ended
        self._predicted = course.contestant.invocation.workdir / "predicted.npz"

    def keep(self, **fields: Any) -> None:
        self.trial = replace(self.trial, **fields)

    def train(self, worker: Worker) -> None:
        self._worker = worker
        self._load()
        for number in range(1, self._course.epochs + 1):
            epoch = self._epoch(number)
            self.keep(peak_rss_bytes=worker.peak_rss())
            self._ended(epoch)

    def _load(self) -> None:
        contestant = self._course.contestant
        loaded = self._ask("load", **contestant.loading)
        self.keep(version=loaded["version"], cold_import_s=loaded["import_s"])
        net = self._ask("new", weights=str(contestant.weights))
        learner = self._ask("learner", sgd=None)
        self.keep(cold_build_s=net["build_s"] + learner["build_s"])

    def _epoch(self, number: int) -> Epoch:
        course, contestant = self._course, self._course.contestant
        trained = self._ask(
            "epoch",
            data=str(contestant.data),
            batch=contestant.batch,
            seed=course.seed,
            epoch=number,
        )
        losses = trained["losses"]
        loss = _sound(sum(losses) / len(losses) if losses else math.nan, f"epoch {number}: loss")
        judged = self._ask(
            "evaluate",
            data=str(course.test),
            batch=max(PREDICTED_AT_ONCE, contestant.batch),
            out=str(self._predicted),
        )
        metric = _sound(course.judge(self._predicted), f"epoch {number}: the metric")
        return Epoch(
            number,
            steps=int(trained["steps"]),
            loss=loss,
            metric=metric,
            train_s=float(trained["wall_s"]),
            feed_s=float(trained["feed_s"]),
            evaluate_s=float(judged["wall_s"]),
        )

    def _ask(self, do: str, **fields: Any) -> dict[str, Any]:
        return self._worker.request(do, self._course.timeout_s, **fields)


def _sound(number: float, what: str) -> float:
    """Training that diverged ends here: nothing after it means anything."""
    if not math.isfinite(number):
        raise Failure(Outcome("failed", f"{what} is {number}: training diverged"))
    return number
