"""The oracle on trial: a program whose every deviation is known, and no framework is needed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tensorstone.models.recipe import SGD
from tensorstone.oracle import Arrays
from tensorstone.oracle.optimisers import Updates
from tensorstone.proof.numbers import Computation
from tensorstone.proof.probed import forward, trained
from tensorstone.proof.probing.probe import Probe
from tensorstone.proof.probing.run import ProbeRun
from tensorstone.proof.variant import Variant, View


class OracleSubject:
    """Computes a variant in float32, each run disturbed a little differently."""

    def __init__(self, variant: Variant, view: View | None = None, seed: int = 99) -> None:
        self.variant = variant
        self.view = view or View()
        self.rng = np.random.default_rng(seed)

    def start(self, weights: Arrays) -> None:
        self.weights = self.variant.begun(weights)

    def learner(self, sgd: float | None) -> None:
        self.sgd = sgd
        self.updates: Updates | None = None

    def train(self, x: np.ndarray, y: np.ndarray, batch: int) -> list[float]:
        run = ProbeRun("any", self.weights, self._order(x), y)
        case = replace(self.variant.case, batch=batch)
        variant = replace(self.variant, case=case)
        computation = Computation(variant, self._probe(run, batch), self.view, np.float32)
        optimiser = None if self.sgd is None else SGD(self.sgd)
        if self.updates is None or variant.forgets:
            self.updates = Updates(replace(case, optimiser=optimiser) if optimiser else case)
        losses, after = computation.trained("any", run, optimiser, self.updates)
        self.weights = {name: array.astype(np.float32) for name, array in after.items()}
        return [float(loss) for loss in losses]

    def predict(self, x: np.ndarray) -> np.ndarray:
        run = ProbeRun("any", self.weights, x, x)
        computation = Computation(self.variant, self._probe(run, len(x)), self.view, np.float32)
        return computation._predict(self.weights, run)

    def read(self) -> Arrays:
        return self.variant.read(self.weights)

    def _probe(self, run: ProbeRun, batch: int) -> Probe:
        return Probe(batch, run, 1.0, run, run)

    def _order(self, x: np.ndarray) -> np.ndarray:
        return x


def observe(variant: Variant, probe: Probe, view: View | None = None) -> dict[str, Arrays]:
    """The numbers of every level, as a program would tell them."""
    subject = OracleSubject(variant, view)
    return {"forward": forward(subject, probe), **dict(trained(subject, probe))}
