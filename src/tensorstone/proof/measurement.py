"""Saying what a program does where it leaves the model: it is asked for the numbers, and measured.

In the order in which a person would look: prediction layer by layer, then one batch's gradients,
then the updates that are made of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tensorstone.models.graph import Graph
from tensorstone.models.layers import BatchNorm
from tensorstone.models.model import Model
from tensorstone.models.recurrent import Embedding
from tensorstone.models.workload import Workload
from tensorstone.oracle import Arrays, activations, gradients
from tensorstone.oracle.conventions import BATCHNORM_UNBIASED_VARIANCE
from tensorstone.proof.diagnosis import Diagnosis
from tensorstone.proof.expectation import Expectation
from tensorstone.proof.levels import failing
from tensorstone.proof.measuring.constraints import describe_constraint
from tensorstone.proof.measuring.gradient_evidence import GradientEvidence
from tensorstone.proof.measuring.gradients import describe_gradients
from tensorstone.proof.measuring.layer import describe_layer
from tensorstone.proof.measuring.running_statistics import describe_statistics
from tensorstone.proof.measuring.sentence import Sentence
from tensorstone.proof.measuring.updates import UpdateEvidence, describe_updates
from tensorstone.proof.numbers import Numbers
from tensorstone.proof.prefixes import Prefixes
from tensorstone.proof.probed import ProbedProgram
from tensorstone.proof.probing.probe import LARGE, Probe, multiplications
from tensorstone.proof.tolerance import EPSILON
from tensorstone.proof.trained_prefixes import first_wrong
from tensorstone.proof.variant import Variant

EXACT, COARSE = 1e-9, 1e-4  # relative errors of a description, by the program's precision
UPDATES, LARGE_UPDATES = 8, 3


@dataclass(frozen=True)
class Measurement:
    """A program that is wrong, its numbers, and where more can be asked."""

    workload: Workload
    truth: Variant
    probe: Probe
    observed: Numbers
    program: ProbedProgram
    prefixes: Prefixes

    @property
    def tolerance(self) -> float:
        return EXACT if self.prefixes.double else COARSE

    def layer(self) -> Diagnosis | None:
        """Which layer's values are wrong in prediction, and what it computes instead."""
        stop = self.prefixes.first_wrong()
        if stop is None:
            found = self._after_the_last_layer()
            return _diagnosis(found) if found else None
        if shared := self.prefixes.shared_block(stop):
            block, other = shared
            return Diagnosis(None, block, f"computes with the weights of {other}, not with its own")
        evidence = self.prefixes.evidence(stop)
        found = describe_layer(evidence) if evidence else None
        return _diagnosis(replace(found, place=stop.path)) if found else Diagnosis(None, stop.path)

    def _after_the_last_layer(self) -> Sentence | None:
        """Every layer is right by itself: `predict` changes what the last one gives."""
        evidence = self.prefixes.evidence(self.prefixes.whole)
        if evidence is None:
            return None
        outputs = self.observed["forward"]["outputs"]
        found = describe_layer(replace(evidence.first(len(outputs)), observed=outputs))
        return found and replace(found, says=f"{found.says}, but only in the program's `predict`")

    def gradient(self) -> Diagnosis | None:
        """What is wrong with the gradients of the first batch."""
        count = len(self.observed["step"]["losses"])
        if count != 1:
            return Diagnosis(None, None, f"it trains on {count} batches where there is one batch")
        evidence = self._gradient_evidence()
        if not any(array.any() for array in evidence.observed.values()):
            # One batch moves nothing: several may, later or together.
            late = self.updates()
            if late:
                return late
        found = describe_gradients(evidence)
        if found is None and (apart := self._apart()):
            text = f"gradients are random: the same step done twice differs by {apart:.1g}"
            return Diagnosis(None, None, f"{text}, relative to what it changes")
        found = found or self._constraint(evidence)
        if found := found or self._statistics():
            return _diagnosis(found)
        return self._in_training() if self.prefixes.double else None

    def _apart(self) -> float:
        """How far two runs of one step are from each other; 0 if they are the same."""
        run, reached = self.probe.step, []
        for _ in range(2):
            self.program.start(run.weights)
            self.program.learner(self.probe.step_rate)
            self.program.train(run.x, run.y, self.probe.batch)
            reached.append(self.program.read())
        one, other = reached
        found = 0.0
        for name, array in one.items():
            moved = float(np.abs(array - run.weights[name]).max()) or 1.0
            found = max(found, float(np.abs(array - other[name]).max()) / moved)
        return found if found > COARSE else 0.0

    def _constraint(self, evidence: GradientEvidence) -> Sentence | None:
        rate = self.probe.step_rate
        expected = {n: evidence.weights[n] - rate * g for n, g in evidence.expected.items()}
        after = {name: self.observed["step"][name].astype(np.float64) for name in expected}
        return describe_constraint(after, expected, evidence.wrong, self.tolerance)

    def _statistics(self) -> Sentence | None:
        """How the first batch norm's running statistics move that move otherwise."""
        case, run, after = self.truth.case, self.probe.step, self.observed["step"]
        values = activations(case.graph, run.weights, run.x, training=True)
        for node in case.graph.nodes:
            if not isinstance(node.layer, BatchNorm):
                continue
            source = node.inputs[0]
            x = values[source] if source >= 0 else run.x.astype(np.float64)
            axes = (0, *range(2, x.ndim))
            mean, variance = f"{node.name}.mean", f"{node.name}.variance"
            found = describe_statistics(
                run.weights[mean].astype(np.float64),
                run.weights[variance].astype(np.float64),
                x.mean(axes),
                x.var(axes),
                x.size // x.shape[1],
                node.layer.momentum,
                after[mean],
                after[variance],
                self.tolerance,
                BATCHNORM_UNBIASED_VARIANCE in case.conventions,
            )
            if found:
                return replace(found, place=node.name)
        return None

    def _in_training(self) -> Diagnosis | None:
        """Which layer is right in prediction and wrong in training."""
        wrong = first_wrong(self.prefixes, self.truth)
        if wrong is None and self._right_gradients():
            return None
        if wrong is None:
            evidence = self._gradient_evidence()
            text = "every layer computes rightly by itself: the loss or what is made of it does not"
            if not evidence.wrong and evidence.loss_ratio is not None:
                ratio = evidence.loss_ratio
                text = f"gradients are right, the loss it reports is {ratio:.4g} times the model's"
            return Diagnosis(None, None, text)
        place = wrong.stop.path
        if wrong.values_differ and wrong.has_modes:
            text = "is right in prediction, and computes other values in training"
            return Diagnosis(None, place, text)
        if wrong.values_differ and len(self.observed["step"]["losses"]):
            ratio = self.observed["step"]["losses"][0] / self._gradient_evidence().expected_loss
            text = f"every layer predicts rightly, and the loss is {ratio:.4g} times the model's"
            return Diagnosis(None, None, text)
        found = describe_gradients(wrong.evidence)
        if found:
            return _diagnosis(found if found.place else replace(found, place=place))
        if wrong.first:
            return Diagnosis(None, place, "has a wrong gradient even by itself")
        own = any(name.rpartition(".")[0] == place for name in wrong.evidence.wrong)
        what = "has a wrong gradient" if own else "passes a wrong gradient on to what is before it"
        return Diagnosis(None, place, f"computes rightly and {what}")

    def _gradient_evidence(self) -> GradientEvidence:
        run, case = self.probe.step, self.truth.case
        loss, expected, _ = gradients(case, run.weights, run.x, run.y)
        after = self.observed["step"]
        start = {name: run.weights[name].astype(np.float64) for name in expected}
        values = activations(case.graph, run.weights, run.x, training=True)
        last = case.graph.nodes[-1]
        source = last.inputs[0]
        return GradientEvidence(
            weights=start,
            observed={n: (w - after[n]) / self.probe.step_rate for n, w in start.items()},
            expected=expected,
            order=tuple(w.name for w in case.graph.weights if w.name in expected),
            loss=case.loss,
            observed_loss=float(after["losses"][0]) if len(after["losses"]) else None,
            expected_loss=loss,
            outputs=values[-1],
            y=run.y.astype(np.float64) if run.y.dtype == np.float32 else run.y,
            batch=self.probe.batch,
            tolerance=self.tolerance,
            features=(values[source] if source >= 0 else run.x) if last.weights else None,
            counts=token_counts(case.graph, run.x),
        )

    def _right_gradients(self) -> bool:
        evidence = self._gradient_evidence()
        ratio = evidence.loss_ratio
        same = ratio is not None and abs(ratio - 1) <= evidence.loss_tolerance
        return same and not evidence.wrong

    def updates(self) -> Diagnosis | None:
        """What the optimiser makes of right gradients."""
        found = describe_updates(self._update_evidence())
        return _diagnosis(found) if found else None

    def _update_evidence(self) -> UpdateEvidence:
        case, run, batch = self.truth.case, self.probe.trace, self.probe.batch
        large = multiplications(case.graph) > LARGE
        count = LARGE_UPDATES if large else UPDATES
        complete = len(run.x) // batch * batch
        order = np.arange(count * batch) % complete
        x, y = run.x[order], run.y[order]
        weights, found = [_wide(run.weights)], []
        for number in range(count):
            chosen = slice(number * batch, (number + 1) * batch)
            found.append(gradients(case, weights[-1], x[chosen], y[chosen])[1])
            # Each from the start, in one call: what is lost between calls is another question.
            self.program.start(run.weights)
            self.program.learner(None)
            self.program.train(x[: chosen.stop], y[: chosen.stop], batch)
            weights.append(_wide(self.program.read()))
        trained = tuple(found[0])
        kept = tuple({name: one[name] for name in trained} for one in weights)
        return UpdateEvidence(
            case.optimiser, case.conventions, kept, tuple(found), self._of_updates(kept)
        )

    def _of_updates(self, weights: tuple[Arrays, ...]) -> float:
        """In float32 an update is known only as well as the weight it changes."""
        if self.prefixes.double:
            return EXACT
        first, second = weights[:2]
        lost = [
            2 * EPSILON * float(np.abs(w).max()) / moved
            for name, w in first.items()
            if (moved := float(np.abs(second[name] - w).max())) > 0
        ]
        return max(COARSE, 4 * float(np.median(lost or [0.0])))


def token_counts(graph: Graph, x: np.ndarray) -> Arrays:
    """How often a batch has each token, by the table that is read with it."""
    return {
        node.weights[0].name: np.bincount(x.astype(int).ravel(), minlength=node.layer.vocabulary)
        for node in graph.nodes
        if isinstance(node.layer, Embedding)
    }


def wrong_gradient(model: Model, observed: Numbers, known: Expectation) -> str | None:
    """The layer nearest to the loss with a wrong gradient: what is before it inherits the error."""
    if "step" not in observed:
        return None
    wrong = set(failing(observed["step"], known.numbers["step"], known.bounds["step"]))
    layers = [leaf.path for leaf in model.weighted if wrong & {w.name for w in leaf.weights}]
    return layers[-1] if layers else None


def _diagnosis(found: Sentence) -> Diagnosis:
    return Diagnosis(found.name, found.place, found.says)


def _wide(arrays: Arrays) -> Arrays:
    return {name: array.astype(np.float64) for name, array in arrays.items()}
