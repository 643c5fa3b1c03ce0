"""MindSpore's side of the worker: its layouts are the canonical ones."""

import mindspore as ms
from mindspore import nn
from mindspore.graph.api import _pynative_executor
from mindspore.nn.layer.rnns import _RNNBase

from stone_worker.failure import NoDouble

PARAMETERS = {
    "weight": "weight",
    "bias": "bias",
    "gamma": "gamma",
    "beta": "beta",
    "mean": "moving_mean",
    "variance": "moving_variance",
    "table": "embedding_table",
}
CELL_PARAMETERS = {
    "input": "w_ih_list",
    "recurrent": "w_hh_list",
    "bias": "b_ih_list",
    "input_bias": "b_ih_list",
    "recurrent_bias": "b_hh_list",
}


def configure(threads):
    """Operators take as many threads as the process has processors; the loader is told."""
    ms.dataset.config.set_num_parallel_workers(threads)


def double():
    raise NoDouble(
        "MindSpore's Conv2d, BatchNorm and CrossEntropyLoss, and the optimisers SGD, Adam and"
        " RMSProp, take no float64"
    )


def version():
    return ms.__version__


def to_native(x):
    return x


def outputs(values):
    return values.asnumpy()


def losses(values):
    return [float(value) for value in values]


def read(net, layers):
    arrays = {}
    for name, parameter, second in _parameters(net, layers):
        array = parameter.asnumpy().copy()
        arrays[name] = array if second is None else array + second.asnumpy()
    return arrays


def write(net, layers, arrays):
    for name, parameter, second in _parameters(net, layers):
        parameter.set_data(ms.Tensor(arrays[name]))
        if second is not None:
            second.set_data(ms.Tensor(0 * arrays[name]))


def plain_sgd(learner, rate):
    optimiser = nn.SGD(learner.network.trainable_params(), learning_rate=rate)
    return nn.TrainOneStepCell(learner.network, optimiser)


def wait(_):
    _pynative_executor.sync()


def _parameters(net, layers):
    """Canonical names with their parameters, the network's cells in definition order.

    A recurrent layer's only bias is the sum of its two: the second is said too.
    """
    kinds = (nn.Conv2d, nn.Dense, nn.BatchNorm1d, nn.BatchNorm2d, nn.Embedding, _RNNBase)
    cells = [cell for _, cell in net.cells_and_names() if isinstance(cell, kinds)]
    if len(cells) != len(layers):
        raise ValueError("%d layers with weights, not %d" % (len(cells), len(layers)))
    for cell, layer in zip(cells, layers):
        for weight in layer["weights"]:
            parameter, second = _named(cell, weight["role"])
            if parameter is None or list(parameter.shape) != list(weight["shape"]):
                found = "nothing" if parameter is None else list(parameter.shape)
                raise ValueError("%s: %s, not %s" % (weight["name"], found, weight["shape"]))
            yield weight["name"], parameter, second


def _named(cell, role):
    """The parameter of a role, and the one that is added to it or None."""
    if not isinstance(cell, _RNNBase):
        return getattr(cell, PARAMETERS[role], None), None
    side = int(role.startswith("backward_"))
    role = role[len("backward_") :] if side else role
    held = getattr(cell, CELL_PARAMETERS[role])
    second = cell.b_hh_list[side] if role == "bias" else None
    return (held[side] if side < len(held) else None), second
