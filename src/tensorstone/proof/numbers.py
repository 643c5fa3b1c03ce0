"""The numbers a proof compares, asked of a program and computed by the oracle in the same form.

By level, then by name: `outputs` of prediction, `losses`, and every weight by its canonical name.
`small` is the trace's second run (small gradients) and is reported as part of `trace`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tensorstone.models.recipe import SGD
from tensorstone.oracle import Arrays, forward, gradients
from tensorstone.oracle.nonlinearities import log_softmax, sigmoid
from tensorstone.oracle.optimisers import Updates
from tensorstone.proof.probing.probe import Probe
from tensorstone.proof.probing.run import ProbeRun
from tensorstone.proof.tolerance import Disturbance, approximated, disturbed
from tensorstone.proof.variant import Variant, View

Numbers = dict[str, Arrays]
LEVELS = ("forward", "step", "trace", "small")  # as they are measured, cheapest first


@dataclass
class Computation:
    """The oracle's numbers for one way of computing, made level by level as they are asked for.

    Gradients are kept by level: they say how well-conditioned each weight's update is.
    """

    variant: Variant
    probe: Probe
    view: View = field(default_factory=View)
    dtype: Any = np.float64
    noise: Disturbance | None = None
    gradients: dict[str, list[Arrays]] = field(default_factory=dict)
    # The first batch's loss, gradients and statistics, by run: shared between variants that
    # differ only in what is done with them.
    first: dict[str, tuple[float, Arrays, Arrays]] = field(default_factory=dict)

    def level(self, name: str) -> Arrays:
        match name:
            case "forward":
                run = self.probe.trace
                return {"outputs": self._predict(self._weights(run), run)}
            case "step":
                sgd = SGD(self.probe.step_rate)
                return self._train("step", self.probe.step, sgd, predict=False)
            case "trace":
                return self._train("trace", self.probe.trace, None, predict=True)
        return self._train("small", self.probe.small, None, predict=False)

    def _train(self, level: str, run: ProbeRun, sgd: SGD | None, predict: bool) -> Arrays:
        losses, weights = self.trained(level, run, sgd)
        outputs = {"outputs": self._predict(weights, run)} if predict else {}
        found = self.variant.read(self._unshifted(weights, run))
        return {"losses": losses, **found, **outputs}

    def trained(
        self, level: str, run: ProbeRun, sgd: SGD | None, updates: Updates | None = None
    ) -> tuple[np.ndarray, Arrays]:
        """The losses as they are told, and every weight at the end of a run. With `updates` an
        optimiser goes on.

        Under noise updates add up in float64: a rounding of the weight itself would hide what is
        below it. That rounding is granted to programs apart (tolerance.py).
        """
        variant = self.variant
        case = replace(variant.case, optimiser=sgd) if sgd else variant.case
        weights = self._weights(run)
        if self.noise is not None:
            weights = {name: array.astype(np.float64) for name, array in weights.items()}
        x = self._given("x", run.x)
        updates = updates or Updates(case)
        told: list[float] = []
        kept: list[Arrays] = []
        for number, call in enumerate(run.calls(variant.case.batch)):
            if number and variant.forgets:
                updates = Updates(case)
            if number and variant.prediction_moves:
                few = slice(variant.case.batch)
                _, _, moved = gradients(case, weights, x[few], run.y[few], self.dtype)
                weights = weights | moved
            losses = []
            for batch in variant.batches(len(x[call])):
                chosen = batch + call.start
                loss, found, statistics = self._gradients(
                    run, len(kept), weights, x[chosen], run.y[chosen]
                )
                kept.append(found)
                weights = self._updated(updates, weights, found, plain=sgd is not None) | statistics
                losses.append(loss)
            told += [float(np.mean(losses))] if self.view.losses == "call" else losses
        self.gradients[level] = kept
        return np.array(told), weights

    def _gradients(
        self, run: ProbeRun, number: int, weights: Arrays, x: np.ndarray, y: np.ndarray
    ) -> tuple[float, Arrays, Arrays]:
        # The step is the trace's first batch: its gradients are needed twice, computed once.
        variant = self.variant
        shared = number == 0 and (run.interrupted or variant.feeding != "reversed")
        key = "small" if run.name == "small" else "trace"
        if shared and key in self.first:
            return self.first[key]
        loss, found, statistics = gradients(
            variant.case, weights, x, y, self.dtype, approximate=self._approximated
        )
        if variant.loss_scale != 1:
            scale = variant.loss_scale
            loss, found = loss * scale, {name: g * scale for name, g in found.items()}
        if shared:
            self.first[key] = loss, found, statistics
        return loss, found, statistics

    def _updated(self, updates: Updates, weights: Arrays, found: Arrays, plain: bool) -> Arrays:
        """After one update. What the recipe's optimiser does is not in the plain step."""
        variant = self.variant
        scale = variant.gradient_scale * (1.0 if plain else variant.optimiser_scale)
        if scale != 1:
            found = {name: g * scale for name, g in found.items()}
        if plain:
            return updates.apply(weights, found)
        if variant.decay:
            found = {
                name: g + (variant.decay * weights[name]).astype(g.dtype)
                for name, g in found.items()
            }
        after = updates.apply(weights, found)
        if variant.decoupled_decay:
            share = variant.case.optimiser.rate * variant.decoupled_decay
            after |= {name: after[name] - share * weights[name] for name in found}
        return after

    def _predict(self, weights: Arrays, run: ProbeRun) -> np.ndarray:
        x = self._given("x", run.x[: self.probe.batch])
        graph = self.variant.prediction
        outputs = forward(
            graph, weights, x, self.dtype, self.variant.batch_statistics, self._approximated
        )
        if self.view.outputs == "probabilities":
            if self.variant.case.loss == "softmax-cross-entropy":
                outputs = np.exp(log_softmax(outputs, self._approximated))
            if self.variant.case.loss == "binary-cross-entropy":
                outputs = self._approximated(sigmoid(outputs))
        return outputs

    def _weights(self, run: ProbeRun) -> Arrays:
        begun = self.variant.begun(run.weights)
        return {name: self._given(name, array) for name, array in begun.items()}

    def _unshifted(self, weights: Arrays, run: ProbeRun) -> Arrays:
        """Without where a disturbed start put them: what is compared is how far they went."""
        if self.noise is None:
            return weights
        begun, start = self.variant.begun(run.weights), self._weights(run)
        return {
            name: array.astype(np.float64) + (begun[name] - start[name].astype(np.float64))
            for name, array in weights.items()
        }

    def _given(self, name: str, array: np.ndarray) -> np.ndarray:
        if np.issubdtype(array.dtype, np.integer):
            return array  # tokens do not round
        array = array.astype(self.dtype)
        return array if self.noise is None else disturbed(array, self.noise, name)

    def _approximated(self, values: np.ndarray) -> np.ndarray:
        return values if self.noise is None else approximated(values, self.noise)
