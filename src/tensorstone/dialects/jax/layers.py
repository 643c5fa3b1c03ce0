"""Flax NNX's words: each layer's line in `__init__` and its expression in `__call__`."""

from __future__ import annotations

from tensorstone.dialects.emit import Unsupported
from tensorstone.dialects.jax.recipe import LOSSES, optimiser
from tensorstone.dialects.registry import Dialect
from tensorstone.dialects.writing import (
    Names,
    Say,
    call,
    camel,
    definitions,
    number,
    size,
    statements,
    symmetric,
    unless,
    use_arguments,
)
from tensorstone.models import layers as L
from tensorstone.models.named import plain
from tensorstone.models.placed import Chain, Leaf, PlacedFork, PlacedUse, leaves
from tensorstone.models.workload import Workload

FUNCTIONS = {
    "ReLU": "nnx.relu({x})",
    "Tanh": "nnx.tanh({x})",
    "Sigmoid": "nnx.sigmoid({x})",
    "Softsign": "nnx.soft_sign({x})",
    "Softplus": "nnx.softplus({x})",
    "GELU": "nnx.gelu({x}, approximate=False)",
    "Softmax": "nnx.softmax({x})",
    "Flatten": "{x}.reshape({x}.shape[0], -1)",
    "GlobalAvgPool2D": "jnp.mean({x}, axis=(1, 2))",
}


def describe(workload: Workload, dialect: Dialect) -> dict[str, object]:
    """What the template needs: one class for each block, one for the model."""
    chain = workload.model.chain
    names: Names = {}
    blocks = definitions(chain, lambda use: _text(use.body, names), names, width_wanted=True)
    classes = [_class(camel(b.name), b.parameters, b.use.body, names) for b in blocks]
    classes.append(_class(workload.model.name, (), chain, names))
    loss = LOSSES[workload.recipe.loss]
    layers = [leaf.layer for leaf in leaves(chain)]
    return {
        "classes": classes,
        "loss": loss,
        "optimiser": optimiser(workload.recipe),
        "decay": getattr(workload.recipe.optimiser, "decay", 0.0),
        "jnp": "jnp." in f"{classes} {loss}",
        "modes": any(isinstance(layer, L.Dropout | L.BatchNorm) for layer in layers),
        "statistics": any(isinstance(layer, L.BatchNorm) for layer in layers),
        "maps": len(workload.model.inputs) == 3,
        "keeps_size": any(_keeps_size(layer) for layer in layers if isinstance(layer, L.Conv2D)),
    }


def _class(name: str, parameters: tuple[str, ...], chain: Chain, names: Names) -> dict[str, object]:
    return {
        "name": name,
        "parameters": ["self", *parameters, "rngs"],
        "members": _members(chain, names),
        "forward": statements(chain, _say()),
    }


def _text(chain: Chain, names: Names) -> str:
    """A body as text, to see whether two uses of a block read the same."""
    return "\n".join([*_members(chain, names), *statements(chain, _say())])


def _say() -> Say:
    return Say(
        layer=_expression,
        use=lambda use, x: f"self.{use.name}({x})",
        concat=lambda parts: f"jnp.concatenate([{', '.join(parts)}], axis=-1)",
    )


def _members(chain: Chain, names: Names) -> list[str]:
    """The modules a class owns, in the order the model has them."""
    lines: list[str] = []
    for part in chain.parts:
        match part:
            case Leaf() if module := _module(part):
                lines.append(f"self.{part.name} = {module}")
            case PlacedFork():
                lines += [line for path in part.chains for line in _members(path, names)]
            case PlacedUse():
                lines.append(f"self.{part.name} = {_construction(part, names)}")
    return lines


def _construction(use: PlacedUse, names: Names) -> str:
    definition = names[use.path]
    given = [use_arguments(use, definition)] if definition.parameters else []
    rngs = "rngs" if _members(use.body, names) else None  # functions alone need no __init__
    return call(camel(definition.name), *given, rngs=rngs)


def _module(leaf: Leaf) -> str | None:
    """The module a layer needs, or None for a plain function."""
    layer = leaf.layer
    match layer:
        case L.Conv2D():
            return call(
                "nnx.Conv",
                number(leaf.inputs[0]),
                number(layer.channels),
                _pair(layer.kernel),
                strides=unless((1, 1), layer.stride, size(layer.stride)),
                padding=_convolution_padding(layer),
                feature_group_count=unless(1, layer.groups, number(layer.groups)),
                use_bias=unless(True, layer.bias, "False"),
                rngs="rngs",
            )
        case L.Dense():
            bias = unless(True, layer.bias, "False")
            inputs, units = number(leaf.inputs[0]), number(layer.units)
            return call("nnx.Linear", inputs, units, use_bias=bias, rngs="rngs")
        case L.BatchNorm():
            return call(
                "nnx.BatchNorm",
                number(leaf.inputs[0]),
                momentum=unless(0.99, layer.momentum, number(layer.momentum)),
                epsilon=unless(1e-5, layer.epsilon, number(layer.epsilon)),
                rngs="rngs",
            )
        case L.Dropout():
            return f"nnx.Dropout({number(layer.rate)}, rngs=rngs)"
    return None


def _expression(leaf: Leaf, x: str) -> str:
    """The layer applied to the expression `x`."""
    layer = leaf.layer
    match layer:
        case L.Conv2D() | L.Dense() | L.BatchNorm() | L.Dropout():
            return f"self.{leaf.name}({x})"
        case L.MaxPool2D():
            return _pool("nnx.max_pool", layer, x)
        case L.AvgPool2D():
            padded = layer.padding != ((0, 0), (0, 0))
            left_out = "False" if padded and not layer.count_padding else None
            return _pool("nnx.avg_pool", layer, x, count_include_pad=left_out)
        case L.LeakyReLU():
            return call(
                "nnx.leaky_relu", x, *([] if layer.slope == 0.01 else [number(layer.slope)])
            )
    if layer.kind not in FUNCTIONS:
        raise Unsupported(f"{leaf.name}: JAX's room has no word for {layer.kind}")
    return FUNCTIONS[layer.kind].format(x=x)


def _pool(function: str, layer: L.MaxPool2D | L.AvgPool2D, x: str, **more: str | None) -> str:
    # `__call__` does not see a block's parameters, so its numbers stand for themselves.
    stride, padding = _plain(layer.stride), _plain(layer.padding)
    return call(
        function,
        x,
        repr(_plain(layer.kernel)),
        strides=unless((1, 1), stride, repr(stride)),
        padding=unless(((0, 0), (0, 0)), padding, repr(padding)),
        **more,
    )


def _convolution_padding(layer: L.Conv2D) -> str | None:
    """None where the default, "SAME", says it."""
    if _keeps_size(layer):
        return None
    if layer.padding == ((0, 0), (0, 0)):
        return '"VALID"'
    if (padding := symmetric(layer.padding)) is not None:
        return size(padding)
    assert isinstance(layer.padding, tuple)
    return f"({', '.join(_pair(sides) for sides in layer.padding)})"


def _keeps_size(layer: L.Conv2D) -> bool:
    """Whether "SAME" pads like this layer whatever the size of its input."""
    assert isinstance(layer.kernel, tuple)
    same = tuple(((k - 1) // 2, k - 1 - (k - 1) // 2) for k in layer.kernel)
    return layer.stride == (1, 1) and layer.padding == same


def _pair(pair: object) -> str:
    assert isinstance(pair, tuple)
    return f"({', '.join(number(n) for n in pair)})"


def _plain(value: object) -> object:
    """A pair, or a pair of pairs, of numbers without their names."""
    if isinstance(value, tuple):
        return tuple(_plain(item) for item in value)
    assert isinstance(value, int)
    return plain(value)
