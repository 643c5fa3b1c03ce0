"""Limits on unrolled recurrent layers, which some frameworks take minutes to build."""

from __future__ import annotations

from collections.abc import Iterable

from tensorstone.dialects import messages
from tensorstone.dialects.emit import Unsupported
from tensorstone.models import recurrent as R
from tensorstone.models.placed import Leaf


def refuse_long(leaves: Iterable[Leaf], most: int, who: str) -> None:
    """Not more than so many steps in all: every layer's, in each of its directions."""
    steps = sum(
        int(leaf.inputs[0]) * (1 + leaf.layer.bidirectional)
        for leaf in leaves
        if isinstance(leaf.layer, R.Recurrent)
    )
    if steps > most:
        raise Unsupported(messages.too_many_steps(who, steps, most))
