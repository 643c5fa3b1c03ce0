"""A whole training: a fresh process is loaded, trained epoch by epoch, and judged after each.

Then the net is saved and another process loads it, as after a race (deployment.py).
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from msgspec.structs import replace as updated

from tensorstone.race import messages
from tensorstone.race.deployment import DeploymentRun
from tensorstone.race.plan import Contestant
from tensorstone.results.outcome import Outcome
from tensorstone.results.trial import Epoch, Trial, TrialSpec
from tensorstone.runtime.failure import Failure
from tensorstone.runtime.invocation import Invocation
from tensorstone.runtime.process import Worker

# Prediction keeps nothing for a backward pass, so it may take more samples at once than a small
# training batch; a call costs some frameworks tens of milliseconds.
PREDICTED_AT_ONCE = 256


@dataclass(frozen=True)
class TrainingSpec:
    """One contestant's training with one seed: what it starts from, sees, and is judged by."""

    contestant: Contestant  # its weights are the seed's, its data the training samples
    seed: int  # of the order of the samples; the trial's round
    place: int  # in the round
    epochs: int
    test: Path
    judge: Callable[[Path], float]  # the metric of the predictions in a file
    timeout_s: float  # of one answer


def run(
    spec: TrainingSpec,
    ended: Callable[[Trial, Epoch], None],
    start_worker: Callable[[Invocation, int | None], Worker] = Worker,
) -> Trial:
    """Train once; `ended` hears every epoch. Whatever the worker does, a trial comes back."""
    start = time.monotonic()
    job = _TrainingJob(spec, ended)
    invocation = spec.contestant.invocation

    def fresh() -> Worker:
        return start_worker(invocation, None)

    with tempfile.TemporaryDirectory(dir=invocation.workdir) as folder:
        graduate = replace(spec.contestant, data=spec.test)
        deployed = DeploymentRun(graduate, Path(folder), spec.timeout_s)
        try:
            with fresh() as worker:
                job.train(worker)
                deployed.in_its_process(worker)
            deployed.in_a_fresh_one(fresh)
            job.keep(deployment=deployed.found)
        except Failure as failure:
            job.keep(outcome=failure.outcome)
    return updated(job.trial, wall_s=time.monotonic() - start)


class _TrainingJob:
    """A training in the making: what is known before a crash is kept."""

    def __init__(self, spec: TrainingSpec, ended: Callable[[Trial, Epoch], None]) -> None:
        who = spec.contestant
        self.trial = Trial.begun(TrialSpec(who.dialect, who.role, spec.seed, place=spec.place))
        self._spec, self._ended = spec, ended
        self._predicted = spec.contestant.invocation.workdir / "predicted.npz"

    def keep(self, **fields: Any) -> None:
        self.trial = updated(self.trial, **fields)

    def train(self, worker: Worker) -> None:
        self._worker = worker
        self._load()
        for number in range(1, self._spec.epochs + 1):
            epoch = self._epoch(number)
            self.keep(peak_rss_bytes=worker.peak_rss(), epochs=(*self.trial.epochs, epoch))
            self._ended(self.trial, epoch)

    def _load(self) -> None:
        contestant = self._spec.contestant
        loaded = self._ask("load", **contestant.loading)
        self.keep(version=loaded["version"], cold_import_s=loaded["import_s"])
        net = self._ask("new", weights=str(contestant.weights))
        learner = self._ask("learner", sgd=None)
        self.keep(cold_build_s=net["build_s"] + learner["build_s"])

    def _epoch(self, number: int) -> Epoch:
        spec, contestant = self._spec, self._spec.contestant
        trained = self._ask(
            "epoch",
            data=str(contestant.data),
            batch=contestant.batch,
            seed=spec.seed,
            epoch=number,
        )
        losses = trained["losses"]
        loss = _sound(sum(losses) / len(losses) if losses else math.nan, messages.loss_of(number))
        judged = self._ask(
            "evaluate",
            data=str(spec.test),
            batch=max(PREDICTED_AT_ONCE, contestant.batch),
            out=str(self._predicted),
        )
        metric = _sound(spec.judge(self._predicted), messages.metric_of(number))
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
        return self._worker.request(do, self._spec.timeout_s, **fields)


def _sound(number: float, what: str) -> float:
    """Training that diverged ends here: nothing after it means anything."""
    if not math.isfinite(number):
        raise Failure(Outcome("failed", messages.diverged(what, number)))
    return number
