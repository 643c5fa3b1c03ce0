"""One entry for each kind of layer: its forward and its backward."""

from __future__ import annotations

from tensorstone.models import layers as L
from tensorstone.models import recurrent as R
from tensorstone.models.graph import Join, Node
from tensorstone.oracle import nonlinearities, recurrent
from tensorstone.oracle.call import Operation, Operations
from tensorstone.oracle.convolution import CONVOLUTION
from tensorstone.oracle.dense import DENSE, FLATTEN
from tensorstone.oracle.embedding import EMBEDDING
from tensorstone.oracle.joins import JOIN
from tensorstone.oracle.normalisation import BATCH_NORM, DROPOUT
from tensorstone.oracle.pooling import GLOBAL_MEAN, MAX, MEAN

OPERATIONS: Operations = {
    L.Dense: DENSE,
    L.Conv2D: CONVOLUTION,
    L.MaxPool2D: MAX,
    L.AvgPool2D: MEAN,
    L.GlobalAvgPool2D: GLOBAL_MEAN,
    L.Flatten: FLATTEN,
    L.Dropout: DROPOUT,
    L.BatchNorm: BATCH_NORM,
    L.ReLU: nonlinearities.RELU,
    L.LeakyReLU: nonlinearities.LEAKY_RELU,
    L.Tanh: nonlinearities.TANH,
    L.Sigmoid: nonlinearities.SIGMOID,
    L.Softsign: nonlinearities.SOFTSIGN,
    L.Softplus: nonlinearities.SOFTPLUS,
    L.GELU: nonlinearities.GELU,
    L.SiLU: nonlinearities.SILU,
    L.Softmax: nonlinearities.SOFTMAX,
    R.Embedding: EMBEDDING,
    R.SimpleRNN: recurrent.SIMPLE_RNN,
    R.LSTM: recurrent.LSTM,
    R.GRU: recurrent.GRU,
    R.LastStep: recurrent.LAST_STEP,
    R.FirstLast: recurrent.FIRST_LAST,
    R.TimeDistributed: DENSE,
    Join: JOIN,
}

BLOCKED = "gradient-blocked"  # any layer may fail to pass its gradient on


def blocked_input(place: int) -> str:
    """The quirk of a layer that passes its gradient on to all its inputs but this one."""
    return f"{BLOCKED}-{place}"


def operation(node: Node) -> Operation:
    """The node's operation; it must know every deviation the node asks for."""
    found = OPERATIONS[type(node.layer)]
    blocked = {BLOCKED, *(blocked_input(place) for place in range(len(node.inputs)))}
    unknown = node.quirks - found.quirks - blocked
    if unknown:
        raise ValueError(
            f"{node.name}: {node.layer.kind} has no quirk {', '.join(sorted(unknown))}"
        )
    return found


def quirks_of(layer: L.Layer) -> frozenset[str]:
    """The known deviations this layer can be computed with."""
    return OPERATIONS[type(layer)].quirks
