"""Small problems of least squares, trained by optimisers written here once more and otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorstone.models.recipe import Optimiser
from tensorstone.proof.measuring.updates import UpdateEvidence

DOUBLE, SINGLE = 1e-9, 1e-4
SHAPES = {
    "conv1.weight": (4, 2, 2, 2),
    "conv1.bias": (4,),
    "fc1.weight": (6, 5),
    "fc1.bias": (6,),
    "fc2.weight": (3, 6),
    "fc2.bias": (3,),
}
_SIZES = [int(np.prod(shape)) for shape in SHAPES.values()]
Arrays = dict[str, np.ndarray]
# (what is remembered of one array, its name, w, g, number from 1) to the weight after the update
Step = Callable[[dict[str, Any], str, np.ndarray, np.ndarray, int], np.ndarray]


class Problem:
    """½ mean (A·w − b)² over all weights together, another A and b for each batch."""

    def __init__(self, seed: int, count: int, size: float = 1.0) -> None:
        self.draw = np.random.default_rng(seed)
        total = sum(_SIZES)
        self.a = self.draw.normal(size=(count, 40, total)) / np.sqrt(8)
        self.b = self.draw.normal(size=(count, 40)) * 3
        self.size = size
        self.start = {n: self.draw.normal(size=s) * 0.5 for n, s in SHAPES.items()}

    def gradient(self, t: int, w: Arrays) -> Arrays:
        flat = np.concatenate([w[n].ravel() for n in SHAPES])
        g = self.size * self.a[t].T @ (self.a[t] @ flat - self.b[t]) / 40
        parts = np.split(g, np.cumsum(_SIZES)[:-1])
        return {n: p.reshape(s) for (n, s), p in zip(SHAPES.items(), parts, strict=True)}


def trained(
    optimiser: Optimiser,
    step: Step,
    tolerance: float = DOUBLE,
    seed: int = 0,
    count: int = 8,
    conventions: frozenset[str] = frozenset(),
    before: Callable[[list[Arrays], int], Arrays] | None = None,
    size: float = 1.0,
) -> UpdateEvidence:
    """The evidence of a program that makes `step`; `before` makes its gradients of all so far."""
    problem = Problem(seed, count, size)
    single = tolerance == SINGLE

    def kept(arrays: Arrays) -> Arrays:
        if not single:
            return dict(arrays)
        return {n: a.astype(np.float32).astype(np.float64) for n, a in arrays.items()}

    weights, gradients, used = [kept(problem.start)], [], []
    state: dict[str, dict[str, Any]] = {n: {} for n in SHAPES}
    for t in range(count):
        gradients.append(problem.gradient(t, weights[-1]))
        noise = 1e-7 if single else 1e-15
        own = {
            n: g + noise * np.abs(g).max() * problem.draw.normal(size=g.shape)
            for n, g in gradients[-1].items()
        }
        used.append(kept(own))
        given = before(used, t) if before else used[-1]
        w = weights[-1]
        weights.append(kept({n: step(state[n], n, w[n], given[n], t + 1) for n in SHAPES}))
    tolerance = _of_updates(weights) if single else DOUBLE
    return UpdateEvidence(optimiser, conventions, tuple(weights), tuple(gradients), tolerance)


def _of_updates(weights: list[Arrays]) -> float:
    """As the measurement sets it: an update is known only as well as the weight it changes."""
    lost = [
        2 * 2.0**-24 * float(np.abs(w).max()) / moved
        for name, w in weights[0].items()
        if (moved := float(np.abs(weights[1][name] - w).max())) > 0
    ]
    return max(SINGLE, 4 * float(np.median(lost or [0.0])))


# Optimisers, each as its paper or PyTorch writes it.


def sgd(rate: float, decay: float = 0.0, up: bool = False) -> Step:
    def step(s: dict[str, Any], n: str, w: Any, g: Any, t: int) -> Any:
        g = g + decay * w
        return w + rate * g if up else w - rate * g

    return step


def momentum(
    rate: float,
    mu: float,
    nesterov: bool = False,
    dampening: float = 0.0,
    decay: float = 0.0,
    decoupled: float = 0.0,
) -> Step:
    """torch.optim.SGD: the first velocity is the whole gradient."""

    def step(s: dict[str, Any], n: str, w: Any, g: Any, t: int) -> Any:
        g = g + decay * w
        w = w * (1 - rate * decoupled)
        if "v" not in s:
            s["v"] = g.copy()
        else:
            s["v"] = mu * s["v"] + (1 - dampening) * g
        return w - rate * (g + mu * s["v"] if nesterov else s["v"])

    return step


def adam(
    rate: float,
    one: float = 0.9,
    two: float = 0.999,
    eps: float = 1e-8,
    how: str = "",
    decay: float = 0.0,
    decoupled: float = 0.0,
) -> Step:
    def step(s: dict[str, Any], n: str, w: Any, g: Any, t: int) -> Any:
        g = g + decay * w
        if decoupled:
            w = w * (1 - rate * decoupled)
        m = s["m"] = s.get("m", 0 * g) * one + g * (1 - one)
        if how == "belief":
            v = s["v"] = s.get("v", 0 * g) * two + (g - m) ** 2 * (1 - two) + eps
        else:
            v = s["v"] = s.get("v", 0 * g) * two + g**2 * (1 - two)
        c1, c2 = 1 - one**t, 1 - two**t
        if how == "uncorrected":
            c1 = c2 = 1
        if how == "before":
            return w - rate * np.sqrt(c2) / c1 * m / (np.sqrt(v) + eps)
        if how == "inside":
            return w - rate * (m / c1) / np.sqrt(v / c2 + eps)
        if how == "amsgrad":
            v = s["top"] = np.maximum(s.get("top", 0 * v), v)
        if how == "nadam":
            up = (one * m + (1 - one) * g) / c1
            return w - rate * up / (np.sqrt(v / c2) + eps)
        if how == "torch-nadam":
            mu, then = (
                one * (1 - 0.5 * 0.96 ** (t * 4e-3)),
                one * (1 - 0.5 * 0.96 ** ((t + 1) * 4e-3)),
            )
            s["p"] = s.get("p", 1.0) * mu
            below = np.sqrt(v / c2) + eps
            w = w - rate * (1 - mu) / (1 - s["p"]) * g / below
            return w - rate * then / (1 - s["p"] * then) * m / below
        if how == "radam":
            most = 2 / (1 - two) - 1
            length = most - 2 * t * two**t / c2
            if length <= 5:
                return w - rate * m / c1
            r = ((length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length)) ** 0.5
            return w - rate * r * (m / c1) * np.sqrt(c2) / (np.sqrt(v) + eps)
        if how == "adamax":
            s["u"] = np.maximum(two * s.get("u", 0 * g), np.abs(g) + eps)
            return w - rate / c1 * m / s["u"]
        return w - rate * (m / c1) / (np.sqrt(v / c2) + eps)

    return step


def rmsprop(
    rate: float,
    rho: float = 0.9,
    eps: float = 1e-7,
    how: str = "",
    mu: float = 0.0,
    fall: float = 0.0,
    decay: float = 0.0,
) -> Step:
    def step(s: dict[str, Any], n: str, w: Any, g: Any, t: int) -> Any:
        g = g + decay * w
        first = 1.0 if "ones" in how else 0.0
        a = s["a"] = rho * s.get("a", first + 0 * g) + (1 - rho) * g * g
        if how == "centred":
            s["c"] = rho * s.get("c", 0 * g) + (1 - rho) * g
            a = a - s["c"] ** 2
        below = np.sqrt(a + eps) if "inside" in how else np.sqrt(a) + eps
        s["v"] = mu * s.get("v", 0.0) + g / below
        return w - rate / (1 + fall * (t - 1)) * s["v"]

    return step


def adagrad(rate: float, eps: float = 1e-10, start: float = 0.0) -> Step:
    def step(s: dict[str, Any], n: str, w: Any, g: Any, t: int) -> Any:
        s["a"] = s.get("a", start) + g * g
        return w - rate * g / (np.sqrt(s["a"]) + eps)

    return step


def lion(rate: float, one: float = 0.9, two: float = 0.99) -> Step:
    def step(s: dict[str, Any], n: str, w: Any, g: Any, t: int) -> Any:
        m = s.get("m", 0 * g)
        s["m"] = two * m + (1 - two) * g
        return w - rate * np.sign(one * m + (1 - one) * g)

    return step


def scheduled(make: Callable[[float], Step], rate: Callable[[int], float]) -> Step:
    """The rate of update t, from 1; what is remembered stays."""

    def step(s: dict[str, Any], n: str, w: Any, g: Any, t: int) -> Any:
        return make(rate(t))(s, n, w, g, t)

    return step


def grouped(make: Callable[[float], Step], rate: Callable[[str], float]) -> Step:
    def step(s: dict[str, Any], n: str, w: Any, g: Any, t: int) -> Any:
        return make(rate(n))(s, n, w, g, t)

    return step
