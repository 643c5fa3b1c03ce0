"""Forms with a constant fitted besides, and what coarse numbers take for a simpler family."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from tensorstone.models.recipe import SGD, Adam, RMSprop
from tensorstone.proof.measuring import update_adaptive as adaptive
from tensorstone.proof.measuring.update_families import DECAY, FREE, Own
from tensorstone.proof.measuring.update_family import Family
from tensorstone.proof.measuring.update_rules import Constants
from tensorstone.proof.measuring.update_steps import Steps
from tensorstone.proof.measuring.update_streams import Compute, build

_ASGD_POWER = 0.75
_INSIDE: tuple[adaptive.Place, ...] = ("inside", "inside-before")


def with_more(o: Own) -> Iterator[Family]:
    says = "epsilon stands under the square root"
    if isinstance(o.optimiser, Adam):
        for place in _INSIDE:
            rule = partial(adaptive.adam, place=place)
            yield o.of(says, build(rule), free=(FREE["epsilon"],))
    if isinstance(o.optimiser, RMSprop):
        rule = partial(adaptive.rmsprop, inside=True)
        yield o.of(says, build(rule), free=(FREE["epsilon"],))
    if isinstance(o.optimiser, SGD):
        yield o.of(
            "ASGD's update: {decay_of_weights} × weight is added to the gradient, and the rate "
            "falls with it",
            asgd(),
            free=(DECAY,),
        )


def asgd() -> Compute:
    """PyTorch's averaged SGD: its visible weights shrink, and its rate falls."""

    def compute(s: Steps, c: Constants) -> np.ndarray:
        rate, decay = c["rate"], c["decay_of_weights"]
        found = []
        for t, (g, w) in enumerate(zip(s.g, s.w, strict=True)):
            eta = rate / (1 + decay * rate * t) ** _ASGD_POWER
            found.append(eta * (g + decay * w))
        return np.stack(found, axis=1)

    return compute
