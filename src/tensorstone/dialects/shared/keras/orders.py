"""The order of a flattened map's values where channels come last."""

from __future__ import annotations

from tensorstone.dialects.emit import Unsupported
from tensorstone.models import layers as L
from tensorstone.models.placed import Chain, Leaf, PlacedFork, leaves


def reordered(leaf: Leaf) -> bool:
    """Whether channels last and channels first flatten this input differently."""
    if len(leaf.inputs) != 3:
        return False
    channels, height, width = leaf.inputs
    return channels > 1 and height * width > 1


def flat_at_the_end(chain: Chain, flat: bool = False) -> bool:
    """Whether the outputs are a flattened map that no Dense layer has read."""
    for part in chain.parts:
        match part:
            case Leaf(layer=L.Flatten()):
                flat = flat or reordered(part)
            case Leaf():
                flat = flat and not isinstance(part.layer, L.Dense)
            case PlacedFork():
                flat = any(flat_at_the_end(path, flat) for path in part.chains)
            case _:
                flat = flat_at_the_end(part.body, flat)
    return flat


def refuse_mixed_orders(chain: Chain) -> None:
    """Weights that read a flattened map are permuted, so the map must come channels last."""
    if not flat_at_the_end(chain):
        return
    for leaf in leaves(chain):
        if leaf.flattened:
            raise Unsupported(
                f"{leaf.path}: reads a flattened map that is also an output; with channels last "
                "the weights want one order of its values and the output another"
            )
