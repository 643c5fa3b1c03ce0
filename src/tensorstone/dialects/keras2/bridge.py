"""Keras 2's side of the worker: channels first, dense in x out, GRUs z, r, n."""

import keras
import numpy as np

CLASSES = {
    "Conv2D": keras.layers.Conv2D,
    "Dense": keras.layers.Dense,
    "TimeDistributed": keras.layers.TimeDistributed,
    "BatchNorm": keras.layers.BatchNormalization,
    "Embedding": keras.layers.Embedding,
    "SimpleRNN": keras.layers.SimpleRNN,
    "LSTM": keras.layers.LSTM,
    "GRU": keras.layers.GRU,
}
# The roles of a layer's arrays, in the order of its get_weights().
ROLES = {
    "BatchNorm": ["gamma", "beta", "mean", "variance"],
    "Embedding": ["table"],
    "SimpleRNN": ["input", "recurrent", "bias"],
    "LSTM": ["input", "recurrent", "bias"],
    "GRU": ["input", "recurrent", "bias"],
}
BIASES = ("input_bias", "recurrent_bias")  # the rows of one array
BACKWARD = "backward_"
# Keras keeps kernels height, width, in, out; on MXNet as MXNet does.
KERNEL = (0, 1, 2, 3) if keras.backend.backend() == "mxnet" else (3, 2, 0, 1)


def configure(threads):
    """Only CNTK is to be told: the others read the environment (framework.toml)."""
    if keras.backend.backend() == "cntk":
        import cntk

        cntk.cntk_py.set_max_num_cputhreads(threads)


def double():
    keras.backend.set_floatx("float64")
    said = 'keras.backend.set_floatx("float64")'
    more = {"theano": _double_theano, "cntk": _double_cntk, "mxnet": _double_mxnet}
    return said + ", " + more[keras.backend.backend()]()


def _double_theano():
    import theano

    theano.config.floatX = "float64"
    return 'theano.config.floatX = "float64"'


def _double_cntk():
    """Keras names no type where it makes a constant, and float32 for what counts steps."""
    import cntk

    parameter = cntk.parameter

    def constant(value=None, shape=None, dtype=np.float64, device=None, name=""):
        return cntk.Constant(value, shape, dtype, device, name)

    def doubled(*args, **kwargs):
        if kwargs.get("dtype") == "float32":
            kwargs["dtype"] = "float64"
        return parameter(*args, **kwargs)

    cntk.constant, cntk.parameter = constant, doubled
    return "cntk.constant and cntk.parameter make float64"


def _double_mxnet():
    """Keras names no type where it sets a variable."""
    import mxnet

    def array(source, ctx=None, dtype=None):
        return mxnet.nd.utils.array(source, ctx, dtype or source.dtype)

    adam = mxnet.optimizer.Adam.__init__

    def rounded(self, *args, **kwargs):
        """Its kernel's betas are float32, the bias corrections are made of the betas given."""
        for name in ("beta1", "beta2"):
            if name in kwargs:
                kwargs[name] = float(np.float32(kwargs[name]))
        adam(self, *args, **kwargs)

    mxnet.nd.array = array
    mxnet.optimizer.Adam.__init__ = rounded
    return "mxnet.nd.array keeps float64, Adam's betas rounded as its kernel has them"


def version():
    return keras.__version__


def to_native(x):
    return x


def outputs(values):
    return np.asarray(values)


def losses(values):
    return [float(value) for value in values]


def read(net, layers):
    return {
        weight["name"]: _canonical(_part(held.get_weights(), place), layer, weight)
        for layer, held in _pairs(net, layers)
        for weight, place in _places(layer, held)
    }


def write(net, layers, arrays):
    for layer, held in _pairs(net, layers):
        given = held.get_weights()
        for weight, place in _places(layer, held):
            _part(given, place)[...] = _native(arrays[weight["name"]], layer, weight)
        held.set_weights(given)


def plain_sgd(learner, rate):
    learner.compile(keras.optimizers.SGD(lr=float(rate)), learner.loss)
    return learner


def wait(_):
    """fit and predict return numbers; only MXNet's fit does before its last update is made."""
    if keras.backend.backend() == "mxnet":
        import mxnet

        mxnet.nd.waitall()


def _pairs(net, layers):
    """The model's layers with the network's, each kind in the order they were made."""
    made = _made(net)
    found = sum(len(alike) for alike in made.values())
    if found != len(layers):
        raise ValueError("%d layers with weights, not %d" % (found, len(layers)))
    for layer in layers:
        alike = made.get((CLASSES[layer["kind"]], _both_ways(layer)))
        if not alike:
            raise ValueError("%s: the network has no more %s" % (layer["name"], layer["kind"]))
        yield layer, alike.pop(0)


def _made(net):
    """The layers with weights, by class and whether they run both ways, in the order made.

    `net.layers` is sorted by depth, which mixes the branches of a graph. The layers' own names
    are numbered in the order they were made: conv2d_1, conv2d_2, ...
    """
    made = {}
    for layer in sorted(net.layers, key=lambda layer: int(layer.name.rpartition("_")[2])):
        both_ways = isinstance(layer, keras.layers.Bidirectional)
        one_way = layer.forward_layer if both_ways else layer
        for kind in CLASSES.values():
            if isinstance(one_way, kind):
                made.setdefault((kind, both_ways), []).append(layer)
    return made


def _both_ways(layer):
    return any(weight["role"].startswith(BACKWARD) for weight in layer["weights"])


def _places(layer, held):
    """Pairs of a layer's weight and its place: which array, and which row of it or None."""
    roles = ROLES.get(layer["kind"], ["weight", "bias"])
    arrays = held.get_weights()
    pairs = []
    for weight in layer["weights"]:
        backward, role = weight["role"].startswith(BACKWARD), weight["role"]
        role = role[len(BACKWARD) :] if backward else role
        row = BIASES.index(role) if role in BIASES else None
        index = roles.index(role if row is None else "bias")
        pairs.append((weight, (index + len(roles) * backward, row)))
    if len(arrays) != len({index for _, (index, _) in pairs}):
        raise ValueError("%s: %d arrays in Keras" % (layer["name"], len(arrays)))
    for weight, place in pairs:
        shape = _canonical(_part(arrays, place), layer, weight).shape
        if list(shape) != list(weight["shape"]):
            raise ValueError("%s: %s, not %s" % (weight["name"], list(shape), weight["shape"]))
    return pairs


def _part(arrays, place):
    index, row = place
    return arrays[index] if row is None else arrays[index][row]


def _canonical(array, layer, weight):
    if weight["role"] == "table":
        return array
    if array.ndim == 4:
        return np.ascontiguousarray(_turned(array.transpose(KERNEL)))
    if layer["kind"] == "GRU":
        return _first_gates_swapped(array.T)
    return np.ascontiguousarray(array.T)


def _native(array, layer, weight):
    if weight["role"] == "table":
        return array
    if array.ndim == 4:
        return _turned(array).transpose(np.argsort(KERNEL))
    if layer["kind"] == "GRU":
        return _first_gates_swapped(array).T
    return array.T


def _turned(kernels):
    """Theano's convolutions are true ones, which read kernels backwards."""
    return kernels[:, :, ::-1, ::-1] if keras.backend.backend() == "theano" else kernels


def _first_gates_swapped(array):
    """A GRU's r, z, n as Keras's z, r, n, and back."""
    first, second, third = np.split(array, 3)
    return np.concatenate([second, first, third])
