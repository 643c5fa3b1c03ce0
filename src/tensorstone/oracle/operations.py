"""One entry for each kind of layer: its forward and its backward."""

from __future__ import annotations

from tensorstone.models.layers import Layer


def quirks_of(layer: Layer) -> frozenset[str]:
    """The known deviations this layer can be computed with."""
    raise NotImplementedError
