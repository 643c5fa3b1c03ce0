"""Which of a model's arrays share something, in few words: a layer, every bias, all before."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["all", "array", "layer", "before", "after", "role", "some"]
_BIASES = ("bias", "beta")
_SHIFTS_AND_SCALES = (*_BIASES, "gamma")


@dataclass(frozen=True)
class ArrayGroup:
    """`of` completes "the gradient of ..."; `place` is a layer or an array where it is one."""

    kind: Kind
    of: str
    place: str | None = None
    next: str | None = None  # the layer at the other side, of "before" and "after"


def layer_of(name: str) -> str:
    return name.rpartition(".")[0] or name


def is_bias(name: str) -> bool:
    return name.rpartition(".")[2].endswith(_BIASES)


def is_weight(name: str) -> bool:
    """Neither a bias nor what normalisation scales and shifts by."""
    return not name.rpartition(".")[2].endswith(_SHIFTS_AND_SCALES)


def group(members: Collection[str], order: Sequence[str]) -> ArrayGroup:
    """The members among all arrays that could be seen, in forward order."""
    own = [name for name in order if name in members]
    layers = list(dict.fromkeys(map(layer_of, own)))
    if len(own) == len(order):
        return ArrayGroup("all", "every array")
    if len(own) == 1:
        return ArrayGroup("array", own[0], own[0])
    if len(layers) == 1 and own == [n for n in order if layer_of(n) == layers[0]]:
        return ArrayGroup("layer", layers[0], layers[0])
    for of, wanted in (("every bias", is_bias), ("every weight but the biases", is_weight)):
        if own == [name for name in order if wanted(name)]:
            return ArrayGroup("role", of)
    return _side(own, order) or ArrayGroup("some", " and ".join(own) if len(own) < 4 else _few(own))


def _few(own: list[str]) -> str:
    return f"{own[0]}, {own[1]} and {len(own) - 2} more"


def _side(own: list[str], order: Sequence[str]) -> ArrayGroup | None:
    """All up to a layer, or all from a layer on."""
    count = len(own)
    if own == list(order[:count]) and layer_of(own[-1]) != layer_of(order[count]):
        last = layer_of(own[-1])
        return ArrayGroup("before", f"{last} and all before it", last, layer_of(order[count]))
    if own == list(order[-count:]) and layer_of(own[0]) != layer_of(order[-count - 1]):
        first = layer_of(own[0])
        return ArrayGroup("after", f"{first} and all after it", first, layer_of(order[-count - 1]))
    return None
