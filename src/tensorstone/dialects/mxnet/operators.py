"""MXNet's operators: the same calls in `mx.nd`, in `mx.sym` and in a HybridBlock's `F`."""

from __future__ import annotations

from tensorstone.dialects import messages
from tensorstone.dialects.emit import Unsupported
from tensorstone.dialects.mxnet import recurrent
from tensorstone.dialects.mxnet.folding import ACT_TYPES
from tensorstone.dialects.shared.functions import no_way
from tensorstone.dialects.shared.writing import call, number, symmetric, unless
from tensorstone.models import layers as L
from tensorstone.models import recurrent as R
from tensorstone.models.placed import Leaf

Pool = L.MaxPool2D | L.AvgPool2D
EXACT = 2**24  # float32 counts no further without leaving numbers out


def operator(space: str, leaf: Leaf, x: str) -> str:
    """A layer without weights applied to the expression `x`."""
    layer = leaf.layer
    if layer.kind in ACT_TYPES:
        return f'{space}.Activation({x}, act_type="{ACT_TYPES[layer.kind]}")'
    match layer:
        case L.LeakyReLU():
            slope = unless(0.25, layer.slope, number(layer.slope))
            return call(f"{space}.LeakyReLU", x, slope=slope)
        case L.GELU():
            return f'{space}.LeakyReLU({x}, act_type="gelu")'
        case L.SiLU():
            return f"silu({x})"  # Gluon has a block
        case L.Softmax():
            return call(f"{space}.softmax", x, axis="1" if len(leaf.inputs) == 3 else None)
        case L.Flatten():
            return f"{space}.flatten({x})"
        case R.LastStep():
            return recurrent.last_step(space, x)
        case R.FirstLast():
            return recurrent.first_last(space, x)
    raise no_way(leaf, "MXNet")


def readable(space: str, leaf: Leaf, x: str) -> str:
    """The input as the layer can read it: padded beforehand where the sides differ."""
    layer = leaf.layer
    if not isinstance(layer, L.Conv2D | Pool) or symmetric(layer.padding):
        return x
    if isinstance(layer, L.AvgPool2D) and not layer.count_padding:
        raise Unsupported(messages.padding_in_mean(leaf.name, "Pooling"))
    (top, bottom), (left, right) = layer.padding  # type: ignore[misc]
    # Plain numbers: a block's parameters are not in reach of its forward pass.
    sides = ", ".join(str(int(n)) for n in (0, 0, 0, 0, top, bottom, left, right))
    return call(
        f"{space}.pad",
        x,
        mode='"constant"',
        pad_width=f"({sides})",
        constant_value="-np.inf" if isinstance(layer, L.MaxPool2D) else None,
    )


def own_padding(layer: L.Conv2D | Pool) -> tuple[int, int]:
    """The padding left for the layer itself."""
    return symmetric(layer.padding) or (0, 0)


def leaves_padding_out(layer: Pool) -> bool:
    """Whether a mean must be told not to count padding, which MXNet's does by default."""
    return (
        isinstance(layer, L.AvgPool2D)
        and not layer.count_padding
        and layer.padding != ((0, 0), (0, 0))
    )


def check_tokens(leaf: Leaf, layer: R.Embedding) -> None:
    """NDArrayIter and `mx.nd.array` make float32 of whatever they are given."""
    if layer.vocabulary > EXACT:
        raise Unsupported(messages.tokens_as_floats(leaf.name, "MXNet", EXACT))
