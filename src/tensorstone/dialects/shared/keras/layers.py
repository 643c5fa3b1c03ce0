"""Keras's layers on whichever backend: each as the calls that say it.

"tf.keras" is the Keras that was a part of TensorFlow, before it had backends again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from tensorstone.dialects.emit import Unsupported, native_shape
from tensorstone.dialects.shared.functions import no_way
from tensorstone.dialects.shared.keras import functional, recurrent
from tensorstone.dialects.shared.keras.orders import flat_at_the_end, refuse_mixed_orders, reordered
from tensorstone.dialects.shared.keras.padding import (
    averages_apart,
    half_kernel,
    keeps_size,
    padded,
)
from tensorstone.dialects.shared.keras.steps import Step, lines, once, steps
from tensorstone.dialects.shared.writing import call, number, size, symmetric, unless
from tensorstone.models import layers as L
from tensorstone.models import recurrent as R
from tensorstone.models.placed import Leaf, PlacedFork, PlacedUse, leaves
from tensorstone.models.workload import Workload

ACTIVATIONS = {
    "ReLU": "relu",
    "Tanh": "tanh",
    "Sigmoid": "sigmoid",
    "Softsign": "softsign",
    "Softplus": "softplus",
    "GELU": "gelu",
    "SiLU": "silu",
    "Softmax": "softmax",
}

# JAX counts in 32 bits by default.
TOKENS = {"tensorflow": '"int64"', "tf.keras": '"int64"', "torch": '"int64"', "jax": '"int32"'}

STRIDED = '# With strides "same" would pad the bottom and right first.'
NEVER_WINS = "# MaxPooling2D pads only to keep the size; zeros could win the maximum."
KERAS_NORM = "# Keras's own momentum is 0.99 and its epsilon 1e-3."
NOT_FUSED = "# The fused kernel raises epsilon to 1.001e-5 and keeps an unbiased running variance."
CHANNELS_FIRST = "# So that the outputs come in the order channels, height, width."


def describe(workload: Workload, backend: str) -> dict[str, object]:
    """What network.py.jinja needs: a list of layers where that is enough, else functions."""
    chain = workload.model.chain
    writer = KerasWriter(backend, channels_first=flat_at_the_end(chain))
    refuse_mixed_orders(chain)
    plain = all(isinstance(part, Leaf) for part in chain.parts)
    said = writer.steps(chain.parts) if plain else []
    sequential = plain and all(step.is_layer for step in said)
    blocks, body = ([], []) if sequential else functional.written(chain, writer)
    made: set[str] = set()
    return {
        "input": call(
            "keras.Input",
            str(native_shape(chain.inputs, "NHWC")),
            dtype=TOKENS[backend] if workload.model.vocabulary else None,
        ),
        "sequential": once(lines(said), made) if sequential else [],
        "blocks": [replace(block, body=once(block.body, made)) for block in blocks],
        "body": once(body, made),
        "operations": operations(backend),
        "averages": any(averages_apart(leaf.layer, backend) for leaf in leaves(chain)),
    }


def operations(backend: str) -> str:
    """Where the functions are that are not layers."""
    return "tf" if backend == "tf.keras" else "keras.ops"


@dataclass(frozen=True)
class KerasWriter:
    """How layers are said. `channels_first`: maps are flattened in the canonical order."""

    backend: str
    channels_first: bool = False

    def steps(self, parts: Iterable[object]) -> list[Step]:
        """Layers one after another, activations given to the layer before where it takes one."""
        return steps(parts, self.leaf, self.activations)

    def leaf(self, leaf: Leaf, activation: str | None = None) -> list[Step]:
        """The calls that say one layer, with the activation it is given."""
        layer = leaf.layer
        named = f'"{activation}"' if activation else None
        match layer:
            case L.Conv2D():
                if layer.groups > 1 and self.backend == "tf.keras":
                    raise Unsupported(f"{leaf.path}: TensorFlow 2.4 has no groups on a CPU")
                return _convolution(layer, named)
            case L.Dense():
                bias = unless(True, layer.bias, "False")
                text = call("layers.Dense", number(layer.units), activation=named, use_bias=bias)
                every = isinstance(layer, R.TimeDistributed)
                return [Step(text, note=recurrent.EVERY_STEP if every else "")]
            case L.MaxPool2D():
                return _maximum(layer, operations(self.backend))
            case L.AvgPool2D():
                return _average(layer, self.backend)
            case L.GlobalAvgPool2D():
                return [Step("layers.GlobalAveragePooling2D()")]
            case L.Flatten():
                first = self.channels_first and reordered(leaf)
                turn = [Step("layers.Permute((3, 1, 2))", note=CHANNELS_FIRST)] if first else []
                return [*turn, Step("layers.Flatten()")]
            case L.Dropout():
                return [Step(f"layers.Dropout({number(layer.rate)})")]
            case L.BatchNorm():
                return [_normalisation(leaf, layer, self.backend)]
            case L.LeakyReLU():
                return [Step(f"layers.LeakyReLU({number(layer.slope)})")]
        if step := recurrent.step(leaf):
            return [step]
        if layer.kind not in self.activations:
            raise no_way(leaf, "Keras")
        return [Step(f'layers.Activation("{self.activations[layer.kind]}")')]

    @property
    def activations(self) -> dict[str, str]:
        return ACTIVATIONS | ({"SiLU": "swish"} if self.backend == "tf.keras" else {})

    def joined(self, fork: PlacedFork, ends: list[str]) -> str:
        join = "layers.add" if fork.join == "add" else "layers.concatenate"
        return f"{join}([{', '.join(ends)}])"

    def passed(self, use: PlacedUse) -> tuple[str, ...]:
        return ()


def _convolution(layer: L.Conv2D, activation: str | None) -> list[Step]:
    same = keeps_size(layer)
    before: list[Step] = []
    if padded(layer) and not same:
        note = STRIDED if layer.stride != (1, 1) and half_kernel(layer) else ""
        before = [Step(f"layers.ZeroPadding2D({_sides(layer)})", note=note)]
    text = call(
        "layers.Conv2D",
        number(layer.channels),
        size(layer.kernel),
        strides=unless((1, 1), layer.stride, size(layer.stride)),
        padding='"same"' if same else None,
        groups=unless(1, layer.groups, number(layer.groups)),
        activation=activation,
        use_bias=unless(True, layer.bias, "False"),
    )
    return [*before, Step(text)]


def _maximum(layer: L.MaxPool2D, functions: str) -> list[Step]:
    pool = Step(_pool("layers.MaxPooling2D", layer))
    if not padded(layer) or keeps_size(layer):
        return [pool]
    (top, bottom), (left, right) = layer.padding  # type: ignore[misc]
    sides = f"((0, 0), ({top}, {bottom}), ({left}, {right}), (0, 0))"
    pad = call(f"{functions}.pad", "{x}", sides, constant_values='float("-inf")')
    return [Step(pad, is_layer=False, note=NEVER_WINS), pool]


def _average(layer: L.AvgPool2D, backend: str) -> list[Step]:
    if averages_apart(layer, backend):
        strides, sides = size(layer.stride), _sides(layer)
        text = call("average_pool", "{x}", size(layer.kernel), strides, padding=sides)
        return [Step(text, is_layer=False)]
    if padded(layer) and layer.count_padding:
        pad = Step(f"layers.ZeroPadding2D({_sides(layer)})")
        return [pad, Step(_pool("layers.AveragePooling2D", layer, same=False))]
    return [Step(_pool("layers.AveragePooling2D", layer))]


def _pool(name: str, layer: L.MaxPool2D | L.AvgPool2D, same: bool = True) -> str:
    return call(
        name,
        size(layer.kernel),
        strides=unless(layer.kernel, layer.stride, size(layer.stride)),
        padding='"same"' if same and padded(layer) and keeps_size(layer) else None,
    )


def _normalisation(leaf: Leaf, layer: L.BatchNorm, backend: str) -> Step:
    momentum = unless(0.99, layer.momentum, number(layer.momentum))
    epsilon = unless(1e-3, layer.epsilon, number(layer.epsilon))
    maps = backend == "tf.keras" and len(leaf.inputs) == 3
    text = call(
        "layers.BatchNormalization",
        momentum=momentum,
        epsilon=epsilon,
        fused="False" if maps else None,
    )
    if maps:
        return Step(text, note=NOT_FUSED)
    return Step(text, note=KERAS_NORM if momentum or epsilon else "")


def _sides(layer: L.Conv2D | L.AvgPool2D) -> str:
    """Padding as ZeroPadding2D takes it: 1, (1, 2), or ((top, bottom), (left, right))."""
    both = symmetric(layer.padding)
    if both:
        return size(both)
    rows, columns = (f"({first}, {last})" for first, last in layer.padding)  # type: ignore
    return f"({rows}, {columns})"
