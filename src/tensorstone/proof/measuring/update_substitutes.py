"""Another optimiser in the place of the model's, its constants fitted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np

from tensorstone.models.recipe import SGD, Adam, Momentum, RMSprop
from tensorstone.proof.measuring import update_adaptive as adaptive
from tensorstone.proof.measuring import update_rules as rules
from tensorstone.proof.measuring.update_families import FREE, START, Own
from tensorstone.proof.measuring.update_family import Family
from tensorstone.proof.measuring.update_rules import Constants, Rule
from tensorstone.proof.measuring.update_streams import build

_DEFAULTS = {
    "momentum": 0.9,
    "beta1": 0.9,
    "beta2": 0.999,
    "epsilon": 1e-8,
    "rho": 0.9,
}
_NAMES = {SGD: "plain gradient descent", Momentum: "momentum", Adam: "Adam", RMSprop: "RMSprop"}


@dataclass(frozen=True)
class _Other:
    """An optimiser, what it is called, and what is fitted of it; epsilon is fitted unsaid."""

    called: str
    rule: Rule
    free: tuple[str, ...] = ()
    adaptive: bool = True


def _plain_rmsprop(g: rules.Gradients, c: Constants, centred: bool = False) -> list[np.ndarray]:
    """Without what RMSprop may have and others too."""
    kept = {name: value for name, value in c.items() if name in ("rate", "rho", "epsilon")}
    return adaptive.rmsprop(g, kept, centred=centred)


_OTHERS = (
    _Other("plain gradient descent", rules.sgd, (), adaptive=False),
    _Other("momentum of {momentum}", rules.momentum, ("momentum",), adaptive=False),
    _Other(
        "Nesterov's momentum of {momentum}",
        partial(rules.momentum, nesterov=True),
        ("momentum",),
        adaptive=False,
    ),
    _Other(
        "Adam with beta1 {beta1} and beta2 {beta2}", adaptive.adam, ("beta1", "beta2", "epsilon")
    ),
    _Other("RMSprop with rho {rho}", _plain_rmsprop, ("rho", "epsilon")),
    _Other(
        "centred RMSprop with rho {rho}", partial(_plain_rmsprop, centred=True), ("rho", "epsilon")
    ),
    _Other("Adagrad", adaptive.adagrad, ("epsilon",)),
    _Other(
        "Adagrad, its sum of squares starting at {start},", adaptive.adagrad, ("start", "epsilon")
    ),
    _Other("Adadelta with rho {rho}", adaptive.adadelta, ("rho", "epsilon")),
    _Other("Lion", rules.lion),
    _Other("the sign of the velocity (momentum {momentum})", rules.sign_of_velocity, ("momentum",)),
)


def substitutes(o: Own) -> Iterator[Family]:
    """With the model's learning rate, then with any; epsilon as most have it, then fitted."""
    for rated, known in product((False, True), (True, False)):
        for other in _OTHERS:
            if not known and "epsilon" not in other.free:
                continue
            found = _family(o, other, rated, known)
            if found:
                yield found


def _family(o: Own, other: _Other, rated: bool, known: bool) -> Family | None:
    meant = _NAMES[type(o.optimiser)]
    if meant.casefold() in other.called.casefold() and "centred" not in other.called:
        return None
    constants = {**_DEFAULTS, "rate": o.meant["rate"]}
    if "Lion" in other.called:
        constants["beta2"] = 0.99
    able = {**FREE, "start": START}
    free = tuple(able[name] for name in other.free if not (known and name == "epsilon"))
    return Family(
        f"{other.called} is computed, not {meant}",
        build(other.rule),
        constants,
        (o.rates(), *free) if rated else free,
        adaptive=other.adaptive or o.adaptive,
        meant={"rate": o.meant["rate"]},
    )
