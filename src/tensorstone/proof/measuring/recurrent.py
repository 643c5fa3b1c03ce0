"""Recurrent layers: other orders, gates, functions, biases, steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np

from tensorstone.models import recurrent as R
from tensorstone.oracle.operations import quirks_of
from tensorstone.proof.measuring.cells import CellForm, run
from tensorstone.proof.measuring.evidence import LayerEvidence
from tensorstone.proof.measuring.formulas import hard_sigmoid
from tensorstone.proof.measuring.guesses import Compute, Guess

_GATES = {R.LSTM: "ifgo", R.GRU: "rzn", R.SimpleRNN: "h"}
_SWAPPED = "gates-swapped"
_LIMITS = (0.1, 0.2, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)

# What the oracle itself computes, in our words and the catalogue's.
_QUIRKS: dict[str, tuple[str, str | None]] = {
    "state-stuck-at-zero": ("follows on a state of zeros at every step", "state-stuck-at-zero"),
    "run-once": ("sees one step and no other", "cell-run-once"),
    "batch-as-time": ("runs along the batch, from sample to sample", "batch-as-time"),
    "backward-first-step": (
        "gives its backward direction's output after one step only",
        "backward-first-step",
    ),
    "backward-not-reversed": (
        "reads forwards in its backward direction too",
        "backward-not-reversed",
    ),
    "backward-outputs-reversed": (
        "leaves its backward direction's outputs in the order it reads",
        "backward-outputs-reversed",
    ),
    "missing-bias": ("computes without its biases", "missing-bias"),
    "forget-bias-one": ("adds 1 to its forget gate", "forget-bias-one"),
    "cell-state-returned": ("gives its cell's state, not its output", "cell-state-returned"),
    "first-gate-bias": ("adds the first gate's bias to every gate", None),
    "update-gate-negated": (
        "keeps where it should renew: h ← σ(z)·n + (1 − σ(z))·h",
        "update-gate-negated",
    ),
    "reset-before": ("resets the state before it is multiplied, not the product", "reset-before"),
    "reset-after": ("resets the product, not the state before it is multiplied", "reset-after"),
}


def recurrent_guesses(evidence: LayerEvidence) -> Iterator[Guess]:
    layer = evidence.node.layer
    if not isinstance(layer, R.Recurrent):
        return
    for quirk, (says, name) in _QUIRKS.items():
        if quirk in quirks_of(layer):
            yield Guess(
                says,
                partial(LayerEvidence.computed, quirk=quirk),
                name=name,
                whole=quirk == "batch-as-time",
            )
    yield from _gates(layer)
    yield from _weights(evidence, layer)
    yield from _cells(layer)
    yield from _outputs(evidence, layer)
    if layer.bidirectional:
        yield from _directions(evidence, layer)


def _changed(change: Callable[[str, np.ndarray], np.ndarray]) -> Compute:
    """With every weight made from its own."""
    return lambda e: e.computed(weights={r: change(r, w) for r, w in e.weights.items()})


def _gates(layer: R.Recurrent) -> Iterator[Guess]:
    letters = _GATES[type(layer)]
    for order in permutations(range(layer.gates)):
        if order == tuple(range(layer.gates)):
            continue
        said = ", ".join(letters[k] for k in order)
        says = f"takes its gates' weights in the order {said}, not {', '.join(letters)}"

        def change(role: str, w: np.ndarray, order: tuple[int, ...] = order) -> np.ndarray:
            # The block that stands first is taken for the gate that comes first in `order`.
            taken: np.ndarray = _blocks(w, layer)[np.argsort(order)].reshape(w.shape)
            return taken

        yield Guess(says, _changed(change), name=_SWAPPED)


def _blocks(array: np.ndarray, layer: R.Recurrent) -> np.ndarray:
    return array.reshape(layer.gates, layer.units, *array.shape[1:])


def _weights(evidence: LayerEvidence, layer: R.Recurrent) -> Iterator[Guess]:
    def only(end: str, f: Callable[[np.ndarray], np.ndarray]) -> Compute:
        return _changed(lambda role, w: f(w) if role.endswith(end) else w)

    def turned(w: np.ndarray) -> np.ndarray:
        return _blocks(w, layer).swapaxes(1, 2).reshape(w.shape)

    yield Guess("adds its biases twice", only("bias", lambda b: 2 * b))
    if layer.biases == 2:
        yield Guess("leaves its recurrent bias out", only("recurrent_bias", np.zeros_like))
        yield Guess("leaves its input's bias out", only("input_bias", np.zeros_like))
        if isinstance(layer, R.GRU):
            yield Guess(
                "adds its candidate's recurrent bias outside the reset gate", _outer_bias(layer)
            )
    yield Guess(
        "multiplies its state by each gate's recurrent weights transposed",
        only("recurrent", turned),
    )
    if evidence.x.shape[2] == layer.units:
        yield Guess(
            "multiplies its input by each gate's weights transposed",
            _changed(lambda role, w: turned(w) if role.endswith("input") else w),
        )
        yield Guess("takes its input's weights for its state's, and the reverse", _exchanged(layer))
    yield Guess("does not read its input", only("input", np.zeros_like))


def _outer_bias(layer: R.Recurrent) -> Compute:
    def compute(e: LayerEvidence) -> np.ndarray:
        weights = dict(e.weights)
        for side in layer.directions:
            inner = weights[f"{side}recurrent_bias"].copy()
            outer = weights[f"{side}input_bias"].copy()
            outer[2 * layer.units :] += inner[2 * layer.units :]
            inner[2 * layer.units :] = 0
            weights |= {f"{side}recurrent_bias": inner, f"{side}input_bias": outer}
        return e.computed(weights=weights)

    return compute


def _exchanged(layer: R.Recurrent) -> Compute:
    def compute(e: LayerEvidence) -> np.ndarray:
        weights = dict(e.weights)
        for side in layer.directions:
            weights[f"{side}input"] = e.weights[f"{side}recurrent"]
            weights[f"{side}recurrent"] = e.weights[f"{side}input"]
        return e.computed(weights=weights)

    return compute


def _cells(layer: R.Recurrent) -> Iterator[Guess]:
    """Other functions in the cell, or another first state."""
    if type(layer) not in _GATES:
        return

    def of(cell: CellForm) -> Compute:
        return lambda e: run(layer, e.weights, e.x, cell)

    def relu(x: np.ndarray) -> np.ndarray:
        y: np.ndarray = np.maximum(x, 0)
        return y

    def same(x: np.ndarray) -> np.ndarray:
        return x

    yield Guess("starts from a state of ones", of(CellForm(start=1.0)))
    yield Guess("has max(x, 0), ReLU, in place of tanh", of(CellForm(candidate=relu, output=relu)))
    sigmoid = CellForm().gate
    yield Guess("has the sigmoid in place of tanh", of(CellForm(candidate=sigmoid, output=sigmoid)))
    yield Guess("has no tanh at all", of(CellForm(candidate=same, output=same)))
    if layer.gates == 1:
        return
    for slope, said in ((1 / 6, "x/6 + 1/2"), (0.2, "0.2·x + 0.5"), (0.25, "x/4 + 1/2")):
        cell = CellForm(gate=partial(hard_sigmoid, slope=slope))
        yield Guess(f"has a hard sigmoid in its gates, clip({said}, 0, 1)", of(cell))
    yield Guess("has tanh in its gates, not the sigmoid", of(CellForm(gate=np.tanh)))
    if layer.gates == 4:
        yield Guess("has 1 − its forget gate for its input gate", of(CellForm(coupled=True)))
        yield from _clipped_cells(of)
        yield Guess("has max(x, 0) in place of its candidate's tanh", of(CellForm(candidate=relu)))
        yield Guess("has max(x, 0) in place of its output's tanh", of(CellForm(output=relu)))
        yield Guess("has no tanh on its state: h ← σ(o)·c", of(CellForm(output=same)))
        yield Guess(
            "has the sigmoid in place of its candidate's tanh", of(CellForm(candidate=sigmoid))
        )


def _clipped_cells(of: Callable[[CellForm], Compute]) -> Iterator[Guess]:
    """An LSTM's state kept within limits, of those that people write."""
    for limit in _LIMITS:
        says = f"clips its cell's state to ±{limit:g}"
        yield Guess(says, of(CellForm(state=lambda c, m=limit: np.clip(c, -m, m))))  # type: ignore[misc]


def _outputs(evidence: LayerEvidence, layer: R.Recurrent) -> Iterator[Guess]:
    """Another step than the last, or steps in another order."""
    time = evidence.x.shape[1]
    if layer.sequence:
        yield Guess("gives its steps in reverse order", lambda e: e.expected[:, ::-1])
        yield Guess("gives each step's output one step late", lambda e: _late(e.expected))
        yield Guess(
            "gives the last step's output alone", lambda e: e.computed(layer=_single(layer))
        )
        return
    every = replace(layer, sequence=True)

    def steps(e: LayerEvidence) -> np.ndarray:
        return e.computed(layer=every)

    yield Guess("gives every step's output, not the last one's", steps)
    yield Guess("gives the mean of all steps' outputs", lambda e: steps(e).mean(1))
    yield Guess("gives the sum of all steps' outputs", lambda e: steps(e).sum(1))
    yield Guess("gives the largest of all steps' outputs", lambda e: steps(e).max(1))
    if not layer.bidirectional:
        for step in range(min(time - 1, 64)):
            says = f"gives the output of step {step} of 0 … {time - 1}"
            yield Guess(says, partial(_step, every, step))


def _step(every: R.Recurrent, step: int, e: LayerEvidence) -> np.ndarray:
    return e.computed(layer=every)[:, step]


def _single(layer: R.Recurrent) -> R.Recurrent:
    return replace(layer, sequence=False)


def _late(y: np.ndarray) -> np.ndarray:
    return np.concatenate([np.zeros_like(y[:, :1]), y[:, :-1]], axis=1)


def _directions(evidence: LayerEvidence, layer: R.Recurrent) -> Iterator[Guess]:
    units = layer.units

    def halves(e: LayerEvidence) -> tuple[np.ndarray, np.ndarray]:
        return e.expected[..., :units], e.expected[..., units:]

    def joined(how: Callable[[np.ndarray, np.ndarray], Any]) -> Compute:
        return lambda e: np.asarray(how(*halves(e)))

    def woven(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.stack([a, b], axis=-1).reshape(*a.shape[:-1], -1)

    def pair(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.concatenate([a, b], axis=-1)

    yield Guess("gives its backward direction first", joined(lambda a, b: pair(b, a)))
    yield Guess("adds its directions instead of concatenating them", joined(np.add))
    yield Guess("gives the mean of its directions", joined(lambda a, b: (a + b) / 2))
    twice = joined(lambda a, b: pair((a + b) / 2, (a + b) / 2))
    yield Guess("gives the mean of its directions, twice", twice)
    yield Guess("gives the sum of its directions, twice", joined(lambda a, b: pair(a + b, a + b)))
    yield Guess("multiplies its directions", joined(np.multiply))
    yield Guess("weaves its directions' features into each other", joined(woven))
    yield Guess("gives its forward direction alone", joined(lambda a, b: a))
    yield Guess("gives its backward direction alone", joined(lambda a, b: b))
    yield Guess("gives its forward direction twice", joined(lambda a, b: pair(a, a)))
    yield Guess("has zeros for its backward direction", joined(lambda a, b: pair(a, 0 * b)))
    yield Guess("has zeros for its forward direction", joined(lambda a, b: pair(0 * a, b)))
    yield Guess("takes each direction's weights for the other's", _crossed())
    yield Guess("takes its forward direction's weights for both", _forward_only())


def _crossed() -> Compute:
    def other(role: str) -> str:
        side = "backward_"
        return role.removeprefix(side) if role.startswith(side) else side + role

    return lambda e: e.computed(weights={r: e.weights[other(r)] for r in e.weights})


def _forward_only() -> Compute:
    return lambda e: e.computed(
        weights={r: e.weights[r.removeprefix("backward_")] for r in e.weights}
    )
