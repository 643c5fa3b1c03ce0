"""Each optimiser's relatives: what differs from it in one line, and what stands in its place."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from tensorstone.models.recipe import SGD, Adam, Momentum, RMSprop
from tensorstone.oracle.conventions import ADAM_EPSILON_BEFORE_CORRECTION
from tensorstone.proof.measuring import update_adaptive as adaptive
from tensorstone.proof.measuring import update_rules as rules
from tensorstone.proof.measuring.update_families import FREE, START, Own
from tensorstone.proof.measuring.update_family import Family, Free
from tensorstone.proof.measuring.update_rules import Constants
from tensorstone.proof.measuring.update_streams import Compute, build

DAMPENING = Free("dampening", (0.1, 0.5, 0.9))


def unfitted(o: Own, conventions: frozenset[str]) -> Iterator[Family]:
    match o.optimiser:
        case Momentum(nesterov=nesterov):
            yield from _momentum(o, nesterov)
        case Adam():
            yield from _adam(o, ADAM_EPSILON_BEFORE_CORRECTION in conventions)
        case RMSprop():
            yield from _rmsprop(o)


def with_one(o: Own) -> Iterator[Family]:
    match o.optimiser:
        case SGD():
            yield from _with_momentum(o)
        case Momentum(nesterov=nesterov):
            damped = "dampening is {dampening}: the velocity takes only the rest of each gradient"
            torch = partial(rules.momentum, nesterov=nesterov, first_whole=True)
            yield o.of(f"{damped} but the first", build(torch), free=(DAMPENING,))
            if nesterov:
                yield o.of(damped, build(o.rule), free=(DAMPENING,))
            other = partial(rules.momentum, nesterov=not nesterov)
            says = "it is plain momentum, not Nesterov's" if nesterov else "it is Nesterov's"
            yield o.of(says, build(other), free=(FREE["momentum"],))
        case RMSprop():
            says = "RMSprop has a momentum of {momentum}"
            yield o.of(says, build(adaptive.rmsprop), free=(FREE["momentum"],))
            says = "the running mean of squares starts at {start}, not 0"
            yield o.of(says, build(adaptive.rmsprop), free=(START,))
            says = "the running mean is taken from the squares (centred RMSprop)"
            yield o.of(says, build(partial(adaptive.rmsprop, centred=True)), free=(FREE["rho"],))


def _momentum(o: Own, nesterov: bool) -> Iterator[Family]:
    other = build(partial(rules.momentum, nesterov=not nesterov))
    if nesterov:
        yield o.of("momentum is plain, not Nesterov's", other, name="no-nesterov")
        says = "Nesterov's look-ahead is made twice"
        yield o.of(says, build(rules.twice_nesterov))
    else:
        yield o.of("momentum is Nesterov's, not the plain one", other, name="nesterov")
    says = "each step is the learning rate times the velocity's sign"
    yield o.of(says, build(rules.sign_of_velocity), adaptive=True)


def _with_momentum(o: Own) -> Iterator[Family]:
    free = (FREE["momentum"],)
    given = {**o.constants, "momentum": 0.9}
    says = "a momentum of {momentum} is kept, where the model has none"
    yield o.of(says, build(rules.momentum), free=free, constants=given)
    yield o.of(
        "Nesterov's momentum of {momentum} is kept, where the model has none",
        build(partial(rules.momentum, nesterov=True)),
        free=free,
        constants=given,
    )

    def mean(g: rules.Gradients, c: Constants) -> list[np.ndarray]:
        return rules.momentum(g, {**c, "dampening": c["momentum"]})

    says = "each step is of a running mean of gradients that keeps {momentum}"
    yield o.of(says, build(mean), free=free, constants=given)


def _adam(o: Own, before: bool) -> Iterator[Family]:
    place: Any = "before" if before else "after"
    rule = partial(adaptive.adam, place=place)
    uncorrected = "Adam's averages are not corrected for starting at zero"
    for corrected, name, says in (
        ("none", "no-bias-correction", uncorrected),
        ("first", None, f"{uncorrected} in v, the mean of squares"),
        ("second", None, f"{uncorrected} in m, the mean of gradients"),
    ):
        yield o.of(says, build(partial(rule, corrected=corrected)), name=name)
    inside = "epsilon stands under the square root"
    own: adaptive.Place = "inside-before" if before else "inside"
    foreign: adaptive.Place = "inside" if before else "inside-before"
    yield o.of(
        inside,
        build(partial(adaptive.adam, place=own)),
        name="epsilon-inside-root",
    )
    side: adaptive.Place = "after" if before else "before"
    yield o.of(f"{inside}, {side} the correction", build(partial(adaptive.adam, place=foreign)))
    yield o.of(
        f"epsilon is added {side} the bias correction",
        build(partial(adaptive.adam, place=side)),
        name="epsilon-correction",
    )
    for kind, said in (
        ("largest", "AMSGrad is computed, not Adam: it divides by the largest v so far"),
        ("largest-corrected", "AMSGrad is computed, not Adam: it divides by the largest v̂ so far"),
        ("belief", "AdaBelief is computed, not Adam: v collects (g − m)²"),
        ("belief-plain", "AdaBelief is computed, not Adam: v collects (g − m)², epsilon not in it"),
        ("yogi", "Yogi is computed, not Adam"),
    ):
        yield o.of(said, build(partial(rule, kind=kind)))
    for ahead, said in (
        ("simple", "NAdam is computed, not Adam: (β₁m + (1 − β₁)g)/(1 − β₁ᵗ) takes m̂'s place"),
        ("next", "NAdam is computed, not Adam: β₁m/(1 − β₁ᵗ⁺¹) + (1 − β₁)g/(1 − β₁ᵗ) for m̂"),
        ("scheduled", "NAdam is computed, not Adam, with its rising momentum"),
    ):
        yield o.of(said, build(partial(rule, ahead=ahead)))
    for least in (5.0, 4.0):
        says = f"RAdam is computed, not Adam: it divides by √v̂ where its length is above {least:g}"
        yield o.of(says, build(partial(adaptive.radam, least=least)))
    for inner, where in ((True, "in the maximum"), (False, "beside it")):
        says = f"Adamax is computed, not Adam, epsilon {where}"
        yield o.of(says, build(partial(adaptive.adamax, inside=inner)))
    says = "the update's number stays 1: the corrections do not change"
    yield o.of(says, build(partial(rule, counted=1)))
    yield o.of("the update's number begins at 2", build(partial(rule, late=1)))
    yield o.of("Lion is computed, not Adam", build(rules.lion))
    yield from _for_adam(o)


def _for_adam(o: Own) -> Iterator[Family]:
    squares = {**o.constants, "rho": o.constants["beta2"], "momentum": o.constants["beta1"]}
    kept = {"constants": squares}
    rms = "RMSprop is computed, not Adam, with rho as beta2"

    def rmsprop(**settings: Any) -> Compute:
        def rule(g: rules.Gradients, c: Constants) -> list[np.ndarray]:
            return adaptive.rmsprop(g, {k: v for k, v in c.items() if k != "momentum"}, **settings)

        return build(rule)

    yield o.of(rms, rmsprop(), **kept)
    alone = "beta1 is 0, not {:g}: each step is of its own gradient, divided as Adam divides"
    yield o.of(alone.format(o.constants["beta1"]), rmsprop(corrected=True), **kept)
    yield o.of("momentum of beta1 is computed, not Adam", build(rules.momentum), **kept)
    yield o.of("plain gradient descent is computed, not Adam", build(rules.sgd), adaptive=False)


def _rmsprop(o: Own) -> Iterator[Family]:
    rule = adaptive.rmsprop
    inside, centred = partial(rule, inside=True), partial(rule, centred=True)
    says = "epsilon stands under the square root"
    yield o.of(says, build(inside), name="epsilon-inside-root")
    says = "the running mean is taken from the squares (centred RMSprop)"
    yield o.of(says, build(centred))
    yield o.of(f"{says}, epsilon under the root", build(partial(centred, inside=True)))
    says = "the running mean of squares is corrected for starting at zero"
    yield o.of(says, build(partial(rule, corrected=True)))
    says = "the gradient is divided by the root of the mean before it was taken in"
    yield o.of(says, build(partial(rule, late=True)))
    ones = {"constants": {**o.constants, "start": 1.0}}
    says = "the running mean of squares starts at 1, not 0"
    yield o.of(says, build(rule), **ones)
    says = (
        "epsilon stands under the square root, and the running mean of squares starts at 1, not 0"
    )
    yield o.of(says, build(inside), **ones)
    yield o.of("plain gradient descent is computed, not RMSprop", build(rules.sgd), adaptive=False)
