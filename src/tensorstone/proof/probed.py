"""What is under proof: anything that can be given weights and samples and asked for numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from tensorstone.oracle import Arrays
from tensorstone.proof.probing.probe import Probe
from tensorstone.proof.probing.run import ProbeRun


class ProbedProgram(Protocol):
    """A network that can be restarted from given weights."""

    def start(self, weights: Arrays) -> None:
        """Forget everything and begin from these weights."""

    def learner(self, sgd: float | None) -> None:
        """Make the loss and the optimiser, or plain SGD in its place."""

    def train(self, x: np.ndarray, y: np.ndarray, batch: int) -> list[float]:
        """Train over the batches and return the losses it reports."""

    def predict(self, x: np.ndarray) -> np.ndarray: ...

    def read(self) -> Arrays:
        """The weights as they are now."""


def forward(subject: ProbedProgram, probe: Probe) -> Arrays:
    """The `forward` level's numbers."""
    subject.start(probe.trace.weights)
    return {"outputs": subject.predict(probe.trace.x[: probe.batch])}


def trained(subject: ProbedProgram, probe: Probe) -> Iterator[tuple[str, Arrays]]:
    """The numbers of the levels that train."""
    yield "step", _train(subject, probe.step, probe.batch, probe.step_rate)
    after = _train(subject, probe.trace, probe.batch, None)
    yield "trace", {**after, "outputs": subject.predict(probe.trace.x[: probe.batch])}
    yield "small", _train(subject, probe.small, probe.batch, None)


def _train(subject: ProbedProgram, run: ProbeRun, batch: int, sgd: float | None) -> Arrays:
    subject.start(run.weights)
    subject.learner(sgd)
    losses: list[float] = []
    for number, call in enumerate(run.calls(batch)):
        if number:
            subject.predict(run.x[:batch])
        losses += subject.train(run.x[call], run.y[call], batch)
    return {"losses": np.array(losses, np.float64), **subject.read()}
