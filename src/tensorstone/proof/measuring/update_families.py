"""What a program may do with right gradients, from what has no constant to what has several."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from tensorstone.models.recipe import SGD, Adam, Momentum, Optimiser, RMSprop
from tensorstone.oracle.conventions import ADAM_EPSILON_BEFORE_CORRECTION
from tensorstone.proof.measuring import update_streams as streams
from tensorstone.proof.measuring.update_adaptive import adam, rmsprop
from tensorstone.proof.measuring.update_family import Family, Free
from tensorstone.proof.measuring.update_rules import Rule, momentum, sgd, sign
from tensorstone.proof.measuring.update_streams import build

_JOINED: tuple[Literal["mean", "sum"], ...] = ("mean", "sum")
_MANY = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
FREE = {
    "rate": Free("rate", (1.0,)),
    "momentum": Free("momentum", (0.3, 0.8, 0.95), "gap"),
    "beta1": Free("beta1", (0.1, 0.3, 0.5, 0.7, 0.85, 0.95), "gap"),
    "beta2": Free("beta2", (0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 0.9999), "gap"),
    "rho": Free("rho", (0.5, 0.9, 0.99, 0.999), "gap"),
    "epsilon": Free("epsilon", (1e-12, 1e-9, 1e-7, 1e-5, 1e-3, 1e-2, 1e-1)),
}
DECAY = Free("decay_of_weights", (*_MANY, 10.0))
LIMIT = Free("limit", (1e-7, 1e-6, *_MANY, 3.0, 10.0))
START = Free("start", (1e-6, 1e-3, 0.1, 1.0))
SHARE = Free("share", (0.1, 0.5, 0.9))


@dataclass(frozen=True)
class Own:
    """The rule that the model says."""

    optimiser: Optimiser
    rule: Rule
    meant: dict[str, float]
    constants: dict[str, float]
    adaptive: bool = False
    state: bool = True

    @property
    def family(self) -> Family:
        return self.of("", streams.build(self.rule), own=True)

    def of(self, says: str, compute: streams.Compute, **settings: Any) -> Family:
        """A family with the model's constants where they have their meaning."""
        made = Family(says, compute, self.constants, adaptive=self.adaptive, meant=self.meant)
        return replace(made, **settings)

    def rates(self) -> Free:
        """Begun at the model's, and brought to the one that fits each row of a grid."""
        return Free("rate", (self.meant["rate"],))


def own(optimiser: Optimiser, conventions: frozenset[str]) -> Own:
    match optimiser:
        case SGD(rate):
            return Own(optimiser, sgd, {"rate": rate}, {"rate": rate}, state=False)
        case Momentum(rate, kept, nesterov):
            meant = {"rate": rate, "momentum": kept}
            return Own(optimiser, partial(momentum, nesterov=nesterov), meant, dict(meant))
        case Adam(rate, beta1, beta2, epsilon):
            before = ADAM_EPSILON_BEFORE_CORRECTION in conventions
            meant = {"rate": rate, "beta1": beta1, "beta2": beta2, "epsilon": epsilon}
            rule = partial(adam, place="before" if before else "after")
            return Own(optimiser, rule, meant, dict(meant), adaptive=True)
        case RMSprop(rate, rho, epsilon, decay):
            meant = {"rate": rate, "rho": rho, "epsilon": epsilon}
            return Own(optimiser, rmsprop, meant, {**meant, "decay": decay}, adaptive=True)


def unfitted(o: Own) -> Iterator[Family]:
    """Any model's gradients or steps in another order, or number, or rounded."""
    for count in (2, 3, 4):
        for how in _JOINED:
            says = f"weights move only every {count} batches, by the {how} of their gradients"
            yield o.of(says, build(o.rule, wrapper=streams.every(count, how)))
        if o.state:
            says = f"the optimiser runs only every {count} batches, on the last one's gradient"
            yield o.of(says, build(o.rule, wrapper=streams.every(count, "last")))
    late = "each update is made of the gradient of the batch before"
    yield o.of(
        f"{late}, and the first update moves nothing", build(o.rule, wrapper=streams.one_late)
    )
    if o.adaptive:  # else zeros move nothing, and leave nothing
        stream = partial(streams.before_first, how="zero")
        yield o.of(f"{late}, and the first of zeros", build(o.rule, stream))
    stream = partial(streams.before_first, how="same")
    yield o.of(f"{late}, but the first of its own", build(o.rule, stream))
    yield o.of(
        "gradients are never cleared: each update is made of the sum of all so far",
        build(o.rule, streams.summed),
    )
    yield o.of(
        "each update is made of the mean of all gradients so far", build(o.rule, streams.averaged)
    )
    yield o.of(
        "every update is made of the first batch's gradient", build(o.rule, streams.first_again)
    )
    if o.state:
        lost = "what the optimiser remembers is lost after every step: each is a first step"
        if isinstance(o.optimiser, Momentum) and not o.optimiser.nesterov:
            lost = "momentum has no effect: each step is the learning rate times its own gradient"
        yield o.of(lost, build(o.rule, wrapper=streams.forgotten))
        yield o.of("every update is made twice", build(o.rule, wrapper=streams.twice))
    # What divides by the gradient's size hides which norm it is.
    norm = "one and the same norm" if o.adaptive else "a norm of 1"
    brought = f"brought to {norm} (clipped to it, or divided by their norm)"
    yield o.of(f"all gradients together are {brought}", build(o.rule, streams.normalised))
    own_norm = partial(streams.normalised, own=True)
    yield o.of(f"each array's gradients are {brought}", build(o.rule, own_norm))
    centre = "the mean of each output's gradients is taken from them (gradient centralisation)"
    yield o.of(centre, build(o.rule, streams.centred))
    yield o.of("gradients are rounded to float16", build(o.rule, streams.half))
    yield o.of("gradients are rounded to bfloat16", build(o.rule, streams.brain))
    says = "each step is the learning rate times the gradient's sign"
    yield o.of(says, build(sign), adaptive=True, meant={"rate": o.meant["rate"]})
    yield o.of(
        "weights that fall below zero are set to zero", build(o.rule, tail=streams.never_negative)
    )


def with_one(o: Own) -> Iterator[Family]:
    """Any model's with one constant that is fitted."""
    for name in o.meant:
        if name != "rate":
            catalogued = "other-epsilon" if name == "epsilon" else None
            yield replace(o.family, free=(FREE[name],), name=catalogued)
    yield from decays(o)
    for stream, says in streams.clip_forms():
        yield o.of(says, build(o.rule, stream), free=(LIMIT,))
    says = "each number's step is clipped to ±{limit}"
    yield o.of(says, build(o.rule, tail=streams.clipped_step), free=(LIMIT,))
    says = "weights are clipped to ±{limit} after every update"
    yield o.of(says, build(o.rule, tail=streams.clipped_weights), free=(LIMIT,))
    for count in range(2, 9):
        says = (
            f"every {count} updates the weights are set to {{share}} of the way from where they "
            "were at the last such time (lookahead)"
        )
        yield o.of(says, build(o.rule, tail=streams.looking_ahead(count)), free=(SHARE,))


def decays(o: Own) -> Iterator[Family]:
    """Weights that decay: through the gradient, or beside it."""
    says = "weight decay: {decay_of_weights} × weight is added to the gradient (L2)"
    yield o.of(says, build(o.rule, streams.l2), free=(DECAY,), name="weight-decay")
    if o.state:
        says = "decoupled weight decay: {decay_of_weights} × rate × weight is taken in every step"
        tail = streams.decoupled
        yield o.of(says, build(o.rule, tail=tail), free=(DECAY,), name="weight-decay")
    says = "{decay_of_weights} × the weight's sign is added to the gradient (L1)"
    yield o.of(says, build(o.rule, streams.l1), free=(DECAY,))


def with_all(o: Own) -> Iterator[Family]:
    """The model's own rule with every constant fitted."""
    names = [name for name in o.meant if name != "rate"]
    for name in names:
        yield replace(o.family, free=(o.rates(), FREE[name]))
    if len(names) > 1:
        yield replace(o.family, free=tuple(FREE[name] for name in names))
        yield replace(o.family, free=(o.rates(), *(FREE[name] for name in names)))
    for family in decays(o):
        yield replace(family, free=(o.rates(), *family.free), name=None)
