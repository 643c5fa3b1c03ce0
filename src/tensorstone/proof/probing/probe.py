"""The probe of a workload: everything a program under proof is asked to compute with.

Everything is random and nothing is zero (a bias of zero would hide that it is missing), activations
keep about unit size, smaller where the loss would leap (rescaling.py), and values keep away from
points where the gradient jumps (perturbation.py). What one run cannot show, another does:

- `step`: one update of plain SGD, the rate so large that the update dwarfs the weights: every
  gradient is read off with nearly all its digits.
- `trace`: several updates of the recipe's own optimiser in two calls, each with one sample too
  many; before the last update gradients fall, so that what an optimiser keeps of large ones shows.
- `small`: one update with gradients about as small as the optimiser's epsilon
  (small_gradients.py).
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import assert_never

import numpy as np

from tensorstone.data.synthetic import tokens
from tensorstone.models import layers as L
from tensorstone.models import recurrent as R
from tensorstone.models.graph import Graph
from tensorstone.models.shapes import Weight
from tensorstone.models.workload import Workload
from tensorstone.oracle import Arrays, Case, cached, gradients
from tensorstone.proof.probing.perturbation import perturbations, perturbed
from tensorstone.proof.probing.rescaling import halvings_needed, rescaled
from tensorstone.proof.probing.run import ProbeRun
from tensorstone.proof.probing.small_gradients import small_gradients
from tensorstone.proof.variant import truth
from tensorstone.support.source_digest import source_digest

BATCH, UPDATES = 4, 3
LARGE_BATCH, LARGE_UPDATES = 2, 3  # for models of more than LARGE multiplications a sample
LARGE = 50_000_000
FALL = 2.0**-6  # squared, less than the 1/1000 that second moments usually gain in an update
SPARSE, FAR = 8, 8.0  # every so many channels are so many times as large
_BOUNDED = (L.Tanh, L.Sigmoid, L.Softsign, L.Softmax)
SEEDS = 8  # how many probes are looked at for one whose values keep clear of jumps


@dataclass(frozen=True, eq=False)  # two probes are the same if they are one object
class Probe:
    """Everything a program is asked to compute with."""

    batch: int
    step: ProbeRun
    step_rate: float
    trace: ProbeRun
    small: ProbeRun


@lru_cache(maxsize=2)
def make_probe(workload: Workload) -> Probe:
    """The workload's probe, the same in every process."""
    large = multiplications(workload.model.graph) > LARGE
    batch, updates = (LARGE_BATCH, LARGE_UPDATES) if large else (BATCH, UPDATES)
    variant = truth(workload, batch)
    best = _settled(workload, variant.case, batch * updates + 1, seeds=1 if large else SEEDS)
    first = replace(best, name="step", x=best.x[:batch], y=best.y[:batch], interrupted=False)
    _, found, _ = gradients(variant.case, first.weights, first.x, first.y)
    small = small_gradients(workload, first, found)
    return Probe(batch, first, revealing_rate(first.weights, found), best, small)


def _settled(workload: Workload, case: Case, samples: int, seeds: int) -> ProbeRun:
    """The first seed's run whose loss does not leap and whose values keep clear of jumps.

    If no seed has such a run, the one with the fewest values near a jump. How it is made is kept on
    disk, since it is found by trying.
    """

    def look() -> Arrays:
        best, least = None, math.inf
        for seed in range(seeds):
            drawn = _run(workload, seed, samples, case.batch)
            halvings = halvings_needed(case, drawn.weights, drawn.x, drawn.y)
            weights, x = rescaled(drawn.weights, drawn.x, halvings)
            made, left = perturbations(case, weights, x, drawn.y)
            if left < least:
                best, least = (seed, halvings, made), left
            if not left:
                break
        assert best is not None
        seed, halvings, made = best
        return {"made": np.array([seed, halvings]), "perturbations": np.array(made).reshape(-1, 3)}

    known = cached((source_digest("probes"), case.key, f"{samples} {seeds}"), look)
    seed, halvings = known["made"].tolist()
    drawn = _run(workload, seed, samples, case.batch)
    weights, x = rescaled(drawn.weights, drawn.x, halvings)
    return replace(
        drawn, weights=perturbed(case.graph, weights, known["perturbations"].tolist()), x=x
    )


def multiplications(graph: Graph) -> int:
    """Of one sample's forward pass."""
    total = 0
    for node in graph.nodes:
        if isinstance(node.layer, R.Recurrent):
            time = graph.nodes[node.inputs[0]].shape[0] if node.inputs[0] >= 0 else graph.inputs[0]
            total += time * sum(w.size for w in node.weights if len(w.shape) == 2)
        elif isinstance(node.layer, R.TimeDistributed):
            total += node.shape[0] * node.weights[0].size
        elif isinstance(node.layer, L.Conv2D | L.Dense):
            size = next(w.size for w in node.weights if w.role == "weight")
            total += size * math.prod(node.shape[1:])
    return total


def _run(workload: Workload, seed: int, samples: int, batch: int) -> ProbeRun:
    model = workload.model
    content = f"{model.inputs}{[w.name for w in model.weights]}{workload.recipe.loss}"
    rng = np.random.default_rng([zlib.crc32(content.encode()), seed])
    weights = _weights(model.graph, rng)
    x: np.ndarray
    y: np.ndarray
    if model.vocabulary:
        x = tokens(model.vocabulary, samples, model.inputs[0], rng)
    else:
        x = rng.standard_normal((samples, *model.inputs), np.float32)
        x[-batch - 1 :] *= _falling(model.inputs)
    match workload.recipe.loss:
        case "softmax-cross-entropy":
            y = rng.integers(0, model.outputs[0], samples)
        case "binary-cross-entropy":
            y = rng.integers(0, 2, (samples, *model.outputs)).astype(np.float32)
        case "mean-squared" | "half-squared" | "absolute":
            y = rng.standard_normal((samples, *model.outputs), np.float32)
        case _:
            raise NotImplementedError(f"no targets are drawn for {workload.recipe.loss}")
    if workload.recipe.loss == "absolute":
        # Gradients are sums of signs. Were both as likely they would often cancel, and be zero or
        # rounding depending on the order; where one in ten differs they seldom do.
        y -= np.where(rng.random(y.shape) < 0.9, np.float32(3), np.float32(-3))
    return ProbeRun("trace", weights, x, y, interrupted=True)


def _falling(inputs: tuple[int, ...]) -> np.ndarray:
    """What the last batch's inputs are multiplied by: their first channel, or feature, is zero.

    So is then the gradient of the weights that read it, and their second moments fall. A map of one
    channel is made small instead.
    """
    axis = len(inputs) - 1 if len(inputs) == 2 else 0  # of sequences the features come last
    if inputs[axis] == 1:
        return np.full([1] * len(inputs), FALL, np.float32)
    factors = np.ones([size if number == axis else 1 for number, size in enumerate(inputs)])
    factors[(0,) * len(inputs)] = 0
    return factors.astype(np.float32)


def _weights(graph: Graph, rng: np.random.Generator) -> Arrays:
    gains = {
        source: node.layer.gain
        for node in graph.nodes
        if isinstance(node.layer, L.Activation) and not isinstance(node.layer, L.Softmax)
        for source in node.inputs
    }
    weights: Arrays = {}
    sizes = {-1: 1.0}  # of each node's values, roughly
    for place, node in enumerate(graph.nodes):
        size = max(sizes[source] for source in node.inputs)
        drawn = {
            weight.name: _weight(weight, gains.get(place, 1.0), rng) for weight in node.weights
        }
        if isinstance(node.layer, L.BatchNorm):
            # Some variances are small enough for prediction to feel the layer's epsilon; gamma
            # makes up for them, so that no channel drowns the others.
            drawn[f"{node.name}.gamma"] *= np.sqrt(drawn[f"{node.name}.variance"])
        elif node.weights:
            _divide(drawn, size)
            size = 1.0
        elif isinstance(node.layer, _BOUNDED):
            size = 1.0
        if place in gains:
            size *= _enlarge(drawn)
        sizes[place] = size
        weights |= drawn
    return weights


def _divide(drawn: Arrays, size: float) -> None:
    """What reads larger values has smaller weights."""
    for name, array in drawn.items():
        if array.ndim > 1 and not name.endswith(("recurrent", "table")):
            array /= np.float32(size)


def _enlarge(drawn: Arrays) -> float:
    """Every eighth channel before an activation reaches where activations are clipped.

    Returns by how much the values grow on the whole.
    """
    for name, array in drawn.items():
        if name.endswith((".weight", ".gamma")):
            array[::SPARSE] *= np.float32(FAR)
            enlarged = len(array[::SPARSE]) / len(array)
            return math.sqrt(1 + enlarged * (FAR**2 - 1))
    return 1.0


def _weight(weight: Weight, gain: float, rng: np.random.Generator) -> np.ndarray:
    shape = weight.shape
    match weight.role:
        case "table":
            return rng.standard_normal(shape, np.float32)
        case "weight" | "input" | "recurrent" | "backward_input" | "backward_recurrent":
            spread = math.sqrt(gain / math.prod(shape[1:]))
            return rng.standard_normal(shape, np.float32) * np.float32(spread)
        case "gamma":
            return rng.uniform(0.5, 1.5, shape).astype(np.float32)
        case "variance":
            return (10.0 ** rng.uniform(-4, 0, shape)).astype(np.float32)
        case (
            "bias" | "input_bias" | "recurrent_bias" | "beta" | "mean"
            | "backward_bias" | "backward_input_bias" | "backward_recurrent_bias"
        ):  # fmt: skip
            return rng.standard_normal(shape, np.float32) * np.float32(0.3)
        case _:
            assert_never(weight.role)


def revealing_rate(weights: Arrays, found: Arrays) -> float:
    """A power of two at which every weight's update is at least as large as the weight."""
    largest = {name: float(np.abs(g).max()) for name, g in found.items()}
    top = max(largest.values(), default=1.0)
    # A gradient that is zero but for rounding (a bias before a batch norm) has nothing to reveal.
    ratios = [
        float(np.abs(weights[name]).max()) / size
        for name, size in largest.items()
        if size > 1e-9 * top
    ]
    return float(2.0 ** math.ceil(math.log2(max(ratios, default=1.0))))
