"""What may happen to gradients before a rule sees them, when the rule runs, and to its steps after.

A stream gives the T gradients, a wrapper makes another rule of a rule, a tail changes the steps.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np

from tensorstone.proof.measuring.update_rules import Constants, Gradients, Rule
from tensorstone.proof.measuring.update_steps import Steps

Stream = Callable[[Steps, Constants], Gradients]
Wrapper = Callable[[Rule], Rule]
Tail = Callable[[Steps, Constants, list[np.ndarray]], list[np.ndarray]]
Compute = Callable[[Steps, Constants], np.ndarray]  # all steps, (K, T, n)
TORCH = 1e-6  # what PyTorch adds to a norm that it divides by


def build(
    rule: Rule,
    stream: Stream | None = None,
    wrapper: Wrapper | None = None,
    tail: Tail | None = None,
) -> Compute:
    made = wrapper(rule) if wrapper else rule

    def compute(s: Steps, c: Constants) -> np.ndarray:
        found = made(stream(s, c) if stream else list(s.g), c)
        found = tail(s, c, found) if tail else found
        rows = len(c["rate"])
        return np.stack([np.broadcast_to(d, (rows, len(s.of))) for d in found], axis=1)

    return compute


def l2(s: Steps, c: Constants) -> Gradients:
    return [g + c["decay_of_weights"] * w for g, w in zip(s.g, s.w, strict=True)]


def l1(s: Steps, c: Constants) -> Gradients:
    return [g + c["decay_of_weights"] * np.sign(w) for g, w in zip(s.g, s.w, strict=True)]


def scaled(s: Steps, c: Constants) -> Gradients:
    return [c["scale"] * g for g in s.g]


def clipped(s: Steps, c: Constants) -> Gradients:
    return [np.clip(g, -c["limit"], c["limit"]) for g in s.g]


def clipped_norm(s: Steps, c: Constants, own: bool = False, added: float = 0.0) -> Gradients:
    norms = s.own_norm if own else s.norm
    return [
        g * np.minimum(1.0, c["limit"] / (norm + added)) for g, norm in zip(s.g, norms, strict=True)
    ]


def normalised(s: Steps, c: Constants, own: bool = False) -> Gradients:
    norms = s.own_norm if own else s.norm
    return [g / np.where(norm > 0, norm, 1.0) for g, norm in zip(s.g, norms, strict=True)]


def centred(s: Steps, c: Constants) -> Gradients:
    return list(s.g - s.own_mean)


def summed(s: Steps, c: Constants) -> Gradients:
    return list(np.cumsum(s.g, axis=0))


def averaged(s: Steps, c: Constants) -> Gradients:
    return list(np.cumsum(s.g, axis=0) / np.arange(1, s.count + 1)[:, None])


def first_again(s: Steps, c: Constants) -> Gradients:
    return [s.g[0]] * s.count


def before_first(s: Steps, c: Constants, how: Literal["zero", "same"]) -> Gradients:
    """The gradient of the batch before; at the first update none, or its own."""
    return [np.zeros_like(s.g[0]) if how == "zero" else s.g[0], *s.g[:-1]]


def half(s: Steps, c: Constants) -> Gradients:
    return list(s.g.astype(np.float16).astype(np.float64))


def brain(s: Steps, c: Constants) -> Gradients:
    return list(bfloat16(s.g))


def bfloat16(array: np.ndarray) -> np.ndarray:
    """Rounded to the nearest bfloat16, ties to even."""
    bits = array.astype(np.float32).view(np.uint32)
    rounded = bits + (((bits >> 16) & 1) + 0x7FFF).astype(np.uint32)
    found: np.ndarray = (rounded & np.uint32(0xFFFF0000)).view(np.float32).astype(np.float64)
    return found


def every(count: int, how: Literal["mean", "sum", "last"]) -> Wrapper:
    """The rule runs once for so many gradients, and nothing moves in between."""

    def wrap(rule: Rule) -> Rule:
        def run(g: Gradients, c: Constants) -> list[np.ndarray]:
            whole = [g[k : k + count] for k in range(0, len(g) - count + 1, count)]
            joined = [p[-1] if how == "last" else sum(p[1:], p[0]) for p in whole]
            if how == "mean":
                joined = [p / count for p in joined]
            made = rule(joined, c)
            found = [np.zeros((1, 1))] * len(g)
            for k, step in enumerate(made):
                found[(k + 1) * count - 1] = step
            return found

        return run

    return wrap


def forgotten(rule: Rule) -> Rule:
    return lambda g, c: [rule([x], c)[0] for x in g]


def one_late(rule: Rule) -> Rule:
    """No first step; each later one of the gradient before."""
    return lambda g, c: [np.zeros((1, 1)), *rule(g[:-1], c)]


def twice(rule: Rule) -> Rule:
    def run(g: Gradients, c: Constants) -> list[np.ndarray]:
        found = rule([x for x in g for _ in range(2)], c)
        return [a + b for a, b in zip(found[::2], found[1::2], strict=True)]

    return run


def decoupled(
    s: Steps, c: Constants, d: list[np.ndarray], with_rate: bool = True, before: bool = False
) -> list[np.ndarray]:
    """Weights shrink beside the step."""
    share = c["decay_of_weights"] * c["rate"] if with_rate else c["decay_of_weights"]
    return [step + share * w for step, w in zip(d, s.w, strict=True)]


def clipped_step(s: Steps, c: Constants, d: list[np.ndarray]) -> list[np.ndarray]:
    return [np.clip(step, -c["limit"], c["limit"]) for step in d]


def clipped_weights(s: Steps, c: Constants, d: list[np.ndarray]) -> list[np.ndarray]:
    return [w - np.clip(w - step, -c["limit"], c["limit"]) for w, step in zip(s.w, d, strict=True)]


def never_negative(s: Steps, c: Constants, d: list[np.ndarray]) -> list[np.ndarray]:
    return [w - np.maximum(w - step, 0) for w, step in zip(s.w, d, strict=True)]


def looking_ahead(every: int) -> Tail:
    """After so many updates the weights go back part of the way to where the last such time was."""

    def tail(s: Steps, c: Constants, d: list[np.ndarray]) -> list[np.ndarray]:
        slow: Any = s.w[0]
        found = list(d)
        for t in range(every - 1, s.count, every):
            reached = s.w[t] - d[t]
            slow = slow + c["share"] * (reached - slow)
            found[t] = s.w[t] - slow
        return found

    return tail


def clip_forms() -> tuple[tuple[Stream, str], ...]:
    """Ways of clipping gradients, and what each is called."""
    return (
        (clipped, "each gradient is clipped to ±{limit} in the optimiser"),
        (clipped_norm, "gradients are clipped to a norm of {limit} over all arrays"),
        (
            partial(clipped_norm, added=TORCH),
            "gradients are clipped to a norm of {limit} over all arrays",
        ),
        (partial(clipped_norm, own=True), "each array's gradient is clipped to a norm of {limit}"),
        (
            partial(clipped_norm, own=True, added=TORCH),
            "each array's gradient is clipped to a norm of {limit}",
        ),
    )
