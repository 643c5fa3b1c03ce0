"""Keras 2's layers: each as the constructions that say it."""

from __future__ import annotations

from dataclasses import dataclass

from tensorstone.dialects.emit import Unsupported
from tensorstone.dialects.keras2 import pooling
from tensorstone.dialects.keras2.construction import Construction
from tensorstone.dialects.keras2.folding import NAMES
from tensorstone.dialects.keras2.padding import keeps_size, padded, sides
from tensorstone.dialects.keras2.recurrent import Sequences
from tensorstone.dialects.shared.writing import call, number, size, unless
from tensorstone.models import layers as L
from tensorstone.models import recurrent as R
from tensorstone.models.placed import Leaf

KERAS_NORM = "# Keras's own momentum is 0.99 and its epsilon 1e-3."
WRONG_STATISTICS = {
    "theano": "Keras on Theano adds epsilon to the running variance",
    "cntk": "Keras on CNTK collects running statistics after the update, with the new weights",
}
AS_IT_IS = "# Keeps the order of the data: Flatten moves channels last by default."


@dataclass(frozen=True)
class Keras2Writer:
    """How layers are said on one backend."""

    backend: str
    sequences: Sequences

    def steps(self, leaf: Leaf, activation: str | None = None) -> list[Construction]:
        """The constructions that say one layer, with the activation it is given."""
        layer = leaf.layer
        named = f'"{activation}"' if activation else None
        match layer:
            case L.Conv2D():
                return _convolution(leaf, layer, named)
            case L.Dense():
                return [_dense(layer, named)]
            case L.MaxPool2D():
                return pooling.maximum(leaf, layer, self.backend)
            case L.AvgPool2D():
                return pooling.average(leaf, layer, self.backend)
            case L.GlobalAvgPool2D():
                return [Construction("layers.GlobalAveragePooling2D()")]
            case L.Flatten():
                return [_flatten(leaf)]
            case L.Dropout():
                # None is said for none: on MXNet Keras fails on a layer that changes nothing.
                return [Construction(f"layers.Dropout({number(layer.rate)})")] if layer.rate else []
            case L.BatchNorm():
                return [self._normalisation(leaf, layer)]
            case L.LeakyReLU():
                return [Construction(f"layers.LeakyReLU({number(layer.slope)})")]
        if steps := self.sequences.steps(leaf):
            return steps
        return [_activation(leaf)]

    def _normalisation(self, leaf: Leaf, layer: L.BatchNorm) -> Construction:
        if self.backend in WRONG_STATISTICS:
            raise Unsupported(f"{leaf.path}: {WRONG_STATISTICS[self.backend]}")
        momentum = unless(0.99, layer.momentum, number(layer.momentum))
        epsilon = unless(1e-3, layer.epsilon, number(layer.epsilon))
        axis = "1" if len(leaf.inputs) == 3 else None
        text = call("BatchNormalization", axis=axis, momentum=momentum, epsilon=epsilon)
        return Construction(text, KERAS_NORM if momentum or epsilon else "")


def _convolution(leaf: Leaf, layer: L.Conv2D, activation: str | None) -> list[Construction]:
    if layer.groups > 1:
        raise Unsupported(f"{leaf.path}: Keras 2's Conv2D knows no groups")
    same = keeps_size(layer) and layer.stride == (1, 1)
    before = []
    if padded(layer) and not same:
        before = [Construction(f"layers.ZeroPadding2D({sides(layer)})")]
    text = call(
        "layers.Conv2D",
        number(layer.channels),
        size(layer.kernel),
        strides=unless((1, 1), layer.stride, size(layer.stride)),
        padding='"same"' if same else None,
        activation=activation,
        use_bias=unless(True, layer.bias, "False"),
    )
    return [*before, Construction(text)]


def _dense(layer: L.Dense, activation: str | None) -> Construction:
    bias = unless(True, layer.bias, "False")
    text = call("layers.Dense", number(layer.units), activation=activation, use_bias=bias)
    every = isinstance(layer, R.TimeDistributed)
    return Construction(call("layers.TimeDistributed", text) if every else text)


def _flatten(leaf: Leaf) -> Construction:
    if len(leaf.inputs) != 3:
        return Construction("layers.Flatten()")
    return Construction('layers.Flatten(data_format="channels_last")', AS_IT_IS)


def _activation(leaf: Leaf) -> Construction:
    kind = leaf.layer.kind
    if kind not in NAMES:
        raise Unsupported(f"{leaf.path}: Keras 2 has no {kind}")
    if isinstance(leaf.layer, L.Softmax) and len(leaf.inputs) == 3:
        return Construction("layers.Softmax(axis=1)")
    return Construction(f'layers.Activation("{NAMES[kind]}")')
