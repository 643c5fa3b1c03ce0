"""TensorFlow 1's layers: tf.layers and tf.nn, one statement for each layer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from tensorstone.dialects.registry import Dialect
from tensorstone.dialects.shared.functions import no_way
from tensorstone.dialects.shared.keras import functional
from tensorstone.dialects.shared.keras.orders import flat_at_the_end, refuse_mixed_orders, reordered
from tensorstone.dialects.shared.keras.padding import (
    averages_apart,
    half_kernel,
    keeps_size,
    padded,
)
from tensorstone.dialects.shared.keras.steps import Step, once, steps
from tensorstone.dialects.shared.writing import call, number, size, unless
from tensorstone.dialects.tensorflow1 import recipe, recurrent
from tensorstone.models import layers as L
from tensorstone.models import recurrent as R
from tensorstone.models.placed import Chain, Leaf, PlacedFork, PlacedUse, leaves
from tensorstone.models.workload import Workload

ACTIVATIONS = {
    "ReLU": "tf.nn.relu",
    "Tanh": "tf.nn.tanh",
    "Sigmoid": "tf.nn.sigmoid",
    "Softsign": "tf.nn.softsign",
    "Softplus": "tf.nn.softplus",
    "GELU": "gelu",
    "SiLU": "tf.nn.swish",
    "Softmax": "tf.nn.softmax",
}

STRIDED = '# With strides "same" would pad the bottom and right first.'
NEVER_WINS = "# Padding with zeros could win the maximum."
NOT_FUSED = "# The fused kernel raises epsilon to 1.001e-5 and keeps an unbiased running variance."
CHANNELS_FIRST = "# So that the outputs come in the order channels, height, width."
EVERY_STEP = "# A dense layer works on the last axis: the same weights at every step."


def describe(workload: Workload, dialect: Dialect) -> dict[str, object]:
    """What the template needs."""
    chain = workload.model.chain
    refuse_mixed_orders(chain)
    layers = [leaf.layer for leaf in leaves(chain)]
    cells = sum(isinstance(layer, R.Recurrent) for layer in layers)
    words = TensorFlow1Writer(channels_first=flat_at_the_end(chain), scoped=cells > 1)
    blocks, body = functional.written(chain, words)
    made: set[str] = set()
    return {
        "blocks": [
            {
                "name": block.name,
                "parameters": block.parameters,
                "body": once(block.body, made),
                "scoped": _owns_variables(block.use.body),
            }
            for block in blocks
        ],
        "body": once(body, made),
        "averages": any(averages_apart(layer, "tensorflow") for layer in layers),
        "grouped": any(isinstance(layer, L.Conv2D) and layer.groups > 1 for layer in layers),
        "gelu": any(isinstance(layer, L.GELU) for layer in layers),
        "resources": any(isinstance(layer, R.GRU) and layer.reset_after for layer in layers),
        "training": _trains(chain),
        "statistics": any(isinstance(layer, L.BatchNorm) for layer in layers),
        **recipe.describe(workload),
    }


@dataclass(frozen=True)
class TensorFlow1Writer:
    """How layers are said. `scoped`: recurrent layers need names to be told apart."""

    channels_first: bool
    scoped: bool

    def steps(self, parts: Iterable[object]) -> list[Step]:
        return [replace(step, is_layer=False) for step in steps(parts, self.leaf, ACTIVATIONS)]

    def joined(self, fork: PlacedFork, ends: list[str]) -> str:
        if fork.join == "add":
            return " + ".join(ends)
        return f"tf.concat([{', '.join(ends)}], {len(fork.outputs)})"

    def passed(self, use: PlacedUse) -> tuple[str, ...]:
        return ("training",) if _trains(use.body) else ()

    def leaf(self, leaf: Leaf, activation: str | None) -> list[Step]:
        """The calls that say one layer, with the activation it is given."""
        layer = leaf.layer
        match layer:
            case L.Conv2D():
                return _convolution(layer, activation)
            case L.Dense():
                bias = unless(True, layer.bias, "False")
                units = number(layer.units)
                text = call("tf.layers.dense", "{x}", units, activation=activation, use_bias=bias)
                return [Step(text, note=EVERY_STEP if isinstance(layer, R.TimeDistributed) else "")]
            case L.MaxPool2D():
                return _maximum(layer)
            case L.AvgPool2D():
                return _average(layer)
            case L.GlobalAvgPool2D():
                return [Step("tf.reduce_mean({x}, [1, 2])")]
            case L.Flatten():
                first = self.channels_first and reordered(leaf)
                turn = Step("tf.transpose({x}, [0, 3, 1, 2])", note=CHANNELS_FIRST)
                return [*([turn] if first else []), Step("tf.layers.flatten({x})")]
            case L.Dropout():
                rate = number(layer.rate)
                return [Step(call("tf.layers.dropout", "{x}", rate, training="training"))]
            case L.BatchNorm():
                return [_normalisation(leaf, layer)]
            case L.LeakyReLU():
                slope = unless(0.2, layer.slope, number(layer.slope))
                return [Step(call("tf.nn.leaky_relu", "{x}", alpha=slope))]
        if step := recurrent.step(leaf, self.scoped):
            return [step]
        if layer.kind not in ACTIVATIONS:
            raise no_way(leaf, "TensorFlow 1")
        return [Step(f"{ACTIVATIONS[layer.kind]}({{x}})")]


def _convolution(layer: L.Conv2D, activation: str | None) -> list[Step]:
    same = keeps_size(layer)
    before: list[Step] = []
    if padded(layer) and not same:
        strided = layer.stride != (1, 1) and half_kernel(layer)
        before = [Step(_pad(layer), note=STRIDED if strided else "")]
    grouped = layer.groups > 1
    text = call(
        "grouped_conv2d" if grouped else "tf.layers.conv2d",
        "{x}",
        number(layer.channels),
        _pair(layer.kernel) if grouped else size(layer.kernel),
        *([number(layer.groups)] if grouped else []),
        strides=unless((1, 1), layer.stride, size(layer.stride)),
        padding='"SAME"' if same and grouped else '"same"' if same else None,
        activation=None if grouped else activation,
        use_bias=unless(True, layer.bias, "False"),
    )
    after = [Step(f"{activation}({{x}})")] if grouped and activation else []
    return [*before, Step(text), *after]


def _maximum(layer: L.MaxPool2D) -> list[Step]:
    pool = Step(_pool("tf.layers.max_pooling2d", layer))
    if not padded(layer) or keeps_size(layer):
        return [pool]
    return [Step(_pad(layer, constant_values="-np.inf"), note=NEVER_WINS), pool]


def _average(layer: L.AvgPool2D) -> list[Step]:
    if averages_apart(layer, "tensorflow"):
        strides, sides = size(layer.stride), _sides(layer)
        return [Step(call("average_pool", "{x}", size(layer.kernel), strides, padding=sides))]
    if padded(layer) and layer.count_padding:
        return [Step(_pad(layer)), Step(_pool("tf.layers.average_pooling2d", layer, same=False))]
    return [Step(_pool("tf.layers.average_pooling2d", layer))]


def _pool(name: str, layer: L.MaxPool2D | L.AvgPool2D, same: bool = True) -> str:
    return call(
        name,
        "{x}",
        size(layer.kernel),
        strides=size(layer.stride),
        padding='"same"' if same and padded(layer) and keeps_size(layer) else None,
    )


def _normalisation(leaf: Leaf, layer: L.BatchNorm) -> Step:
    momentum = unless(0.99, layer.momentum, number(layer.momentum))
    epsilon = unless(1e-3, layer.epsilon, number(layer.epsilon))
    maps = len(leaf.inputs) == 3
    text = call(
        "tf.layers.batch_normalization",
        "{x}",
        momentum=momentum,
        epsilon=epsilon,
        training="training",
        fused="False" if maps else None,
    )
    return Step(text, note=NOT_FUSED if maps else "")


def _pad(layer: L.Conv2D | L.MaxPool2D | L.AvgPool2D, **named: str) -> str:
    return call("tf.pad", "{x}", _sides(layer), **named)


def _sides(layer: L.Conv2D | L.MaxPool2D | L.AvgPool2D) -> str:
    (top, bottom), (left, right) = layer.padding  # type: ignore[misc]
    rows, columns = (f"[{number(a)}, {number(b)}]" for a, b in ((top, bottom), (left, right)))
    return f"[[0, 0], {rows}, {columns}, [0, 0]]"


def _pair(pair: object) -> str:
    assert isinstance(pair, tuple)
    return f"[{', '.join(map(number, pair))}]"


def _trains(chain: Chain) -> bool:
    """Whether anything in it behaves differently in training."""
    return any(isinstance(leaf.layer, L.Dropout | L.BatchNorm) for leaf in leaves(chain))


def _owns_variables(chain: Chain) -> bool:
    """Whether a second use would ask for variables of the same names."""
    return any(isinstance(leaf.layer, R.Embedding | R.Recurrent) for leaf in leaves(chain))
