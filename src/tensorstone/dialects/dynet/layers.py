"""DyNet's layers: what a class adds to its ParameterCollection, and expressions made of it."""

from typing import Any

from tensorstone.dialects import messages
from tensorstone.dialects.dynet.recipe import LOSSES, trainer
from tensorstone.dialects.emit import Unsupported
from tensorstone.dialects.registry import Dialect
from tensorstone.dialects.shared.classes import Style, classes
from tensorstone.dialects.shared.writing import Unpacked, call, number
from tensorstone.models import layers as L
from tensorstone.models import recurrent as R
from tensorstone.models.named import plain
from tensorstone.models.placed import Leaf
from tensorstone.models.workload import Workload

FUNCTIONS = {"ReLU": "rectify", "Tanh": "tanh", "Sigmoid": "logistic", "SiLU": "silu"}
POOLS = {"MaxPool2D": "dy.maxpooling2d", "AvgPool2D": "averagepooling2d"}
BUILDERS = {"SimpleRNN": "dy.SimpleRNNBuilder", "LSTM": "lstm", "GRU": "dy.GRUBuilder"}


def describe(workload: Workload, dialect: Dialect) -> dict[str, object]:
    """What the template needs. A sequence is a list of expressions, one for each step."""
    style = Style(
        module=_owned,
        expression=_expression,
        concat=lambda parts: f"joined({', '.join(parts)})",
        construction=lambda name, given, owns: f"{name}({'pc, ' * owns}{given})",
        concat_steps=lambda parts: f"[dy.concatenate([*h]) for h in zip({', '.join(parts)})]",
        add_steps=lambda parts: f"[dy.esum([*h]) for h in zip({', '.join(parts)})]",
        unpacked=_both_ends,
    )
    return {
        "classes": classes(workload.model, style),
        "losses": LOSSES,
        "trainer": trainer(workload.recipe),
    }


def _owned(leaf: Leaf) -> str | None:
    """A layer's parameters; a dense layer's bias first, as affine_transform takes it."""
    layer: Any = leaf.layer
    match layer:
        case L.Conv2D(channels, (high, wide), groups=1):
            kernel = _parameters(wide, high, leaf.inputs[0], channels)
            return f"{kernel}, {_parameters(channels)}" if layer.bias else kernel
        case L.Conv2D():
            raise Unsupported(messages.no_groups(leaf.name, "DyNet's convolutions have"))
        case L.Dense(units):
            matrix = _parameters(units, leaf.inputs[-1])
            return f"{_parameters(units)}, {matrix}" if layer.bias else matrix
        case R.Embedding(vocabulary, features):
            return _parameters(vocabulary, features).replace("add_", "add_lookup_")
        case R.GRU(reset_after=True):
            raise Unsupported(messages.resets_before(leaf.name, "GRUBuilder"))
        case R.Recurrent(biases=2):
            raise Unsupported(f"{leaf.name}: DyNet's builders have one bias for every gate")
        case R.Recurrent():
            given = f"1, {number(leaf.inputs[-1])}, {number(layer.features)}, pc"
            builder, both = BUILDERS[layer.kind], layer.bidirectional
            return f"dy.BiRNNBuilder({given}, {builder})" if both else f"{builder}({given})"
    return None


def _parameters(*sizes: int) -> str:
    said = ", ".join(map(number, sizes))
    return f"pc.add_parameters({said if len(sizes) == 1 else f'({said})'})"


def _expression(leaf: Leaf, x: str) -> str:
    """The layer applied to the expression `x`, or to each step of the list `x`."""
    sequence = len(leaf.inputs) == 2
    match leaf.layer:
        case R.Embedding():
            return f"[dy.lookup_batch(self.{leaf.name}, step) for step in {x}.T]"
        case R.Recurrent() as layer:
            begun = "" if layer.bidirectional else ".initial_state()"
            return f"self.{leaf.name}{begun}.transduce({x}){'' if layer.sequence else '[-1]'}"
        case R.LastStep():
            return f"{x}[-1]"
        case R.FirstLast():
            return f"dy.concatenate([{x}[0], {x}[-1]])"
        case L.Flatten() if sequence:
            return f"dy.concatenate({x})"
    return f"[{_of_one(leaf, 'h')} for h in {x}]" if sequence else _of_one(leaf, x)


def _of_one(leaf: Leaf, x: str) -> str:
    layer: Any = leaf.layer
    is_map = len(leaf.inputs) == 3
    match layer:
        case L.Conv2D() | L.MaxPool2D() | L.AvgPool2D():
            return _windowed(leaf, layer, x)
        case L.Dense():
            affine = f"dy.affine_transform([*self.{leaf.name}, {x}])"
            return affine if layer.bias else f"self.{leaf.name} * {x}"
        case L.Flatten():
            return f"dy.reshape({x}, ({plain(leaf.outputs[0])},))"
        case L.GlobalAvgPool2D():
            return f"dy.mean_dim({x}, [0, 1], False)"
        case L.Dropout(rate):
            return f"dropout({x}, {number(rate)})"
        case L.Softmax() | L.Softsign() if not is_map:
            return f"dy.{layer.kind.lower()}({x})"
    if layer.kind not in FUNCTIONS:
        raise Unsupported(f"{leaf.name}: DyNet has no {layer.kind}{' of maps' * is_map}")
    return f"dy.{FUNCTIONS[layer.kind]}({x})"


def _windowed(leaf: Leaf, layer: Any, x: str) -> str:
    """DyNet is column-major: its rows are a map's columns."""
    kernel, stride = (str([*map(plain, pair)][::-1]) for pair in (layer.kernel, layer.stride))
    padded = any(map(any, layer.padding))
    same = layer.padding == tuple(((k - 1) // 2, k // 2) for k in layer.kernel)
    if padded and not (same and stride == "[1, 1]" and getattr(layer, "count_padding", True)):
        raise Unsupported(f"{leaf.name}: DyNet pads to keep a map's size (a mean counts it) or not")
    function = POOLS.get(layer.kind) or ("dy.conv2d_bias" if layer.bias else "dy.conv2d")
    given = kernel if layer.kind in POOLS else f"{'*' * layer.bias}self.{leaf.name}"
    return call(function, x, given, stride, is_valid="False" if padded else None)


def _both_ends(leaf: Leaf, x: str, variable: str) -> Unpacked | None:
    """Each direction's last state: the forward one's is at the end, the other's at the start."""
    match leaf.layer:
        case R.Recurrent(units, sequence=False, bidirectional=True):
            ends = f"{variable}[-1][:{plain(units)}], {variable}[0][{plain(units)}:]"
            return [f"{variable} = self.{leaf.name}.transduce({x})"], f"dy.concatenate([{ends}])"
    return None
