"""How many multiplications a layer's forward pass takes for one sample.

Counted are products of inputs with weights, and BatchNorm's scale: what libraries call MACs. Of
activations, pooling and the functions of a gate nothing is counted. A floating-point operation is a
multiplication or an addition, so there are twice as many.
"""

from __future__ import annotations

import math

from tensorstone.models import layers as L
from tensorstone.models import recurrent as R
from tensorstone.models.placed import Leaf

NONE = (
    L.MaxPool2D, L.AvgPool2D, L.GlobalAvgPool2D, L.Flatten, L.Dropout, L.Activation,
    R.Embedding, R.LastStep, R.FirstLast,
)  # fmt: skip


def multiplications(leaf: Leaf) -> int:
    """Of one sample, forwards."""
    layer, inputs, outputs = leaf.layer, leaf.inputs, leaf.outputs
    match layer:
        case L.Dense():
            return int(math.prod(outputs) * inputs[-1])
        case L.Conv2D(kernel=(high, wide)):
            return int(math.prod(outputs) * (inputs[0] // layer.groups) * high * wide)
        case R.Recurrent():
            time, features = inputs
            cell = layer.gates * layer.units * (features + layer.units)
            return int(time * cell * len(layer.directions))
        case L.BatchNorm():
            return int(math.prod(outputs))
        case _ if isinstance(layer, NONE):
            return 0
    raise NotImplementedError(f"no multiplications are counted for {layer.kind}")
