"""Bidirectional LSTM on IMDB in Lasagne, on Theano."""

import sys
from functools import lru_cache

import numpy as np
import theano
import theano.tensor as T
from lasagne import objectives, updates
from lasagne.layers import (
    ConcatLayer,
    DenseLayer,
    EmbeddingLayer,
    InputLayer,
    LSTMLayer,
    SliceLayer,
    get_all_layers,
    get_all_param_values,
    get_all_params,
    get_output,
    set_all_param_values,
)
from lasagne.nonlinearities import softmax

theano.config.floatX = "float32"  # the default is float64


# Dense layers apply a rectifier by default.
def network():
    net = InputLayer((None, 256), T.lmatrix("tokens"))
    net = EmbeddingLayer(net, 20000, 64)
    net_ahead = LSTMLayer(net, 128, peepholes=False)
    net_back = LSTMLayer(net, 128, backwards=True, peepholes=False)
    net = ConcatLayer([net_ahead, net_back], axis=2)
    net_ahead = LSTMLayer(net, 128, peepholes=False)
    net_back = LSTMLayer(net, 128, backwards=True, peepholes=False)
    net = ConcatLayer([net_ahead, net_back], axis=2)
    net = ConcatLayer([SliceLayer(net, 0, axis=1), SliceLayer(net, -1, axis=1)])
    return DenseLayer(net, 2, nonlinearity=softmax)


def learner(net):
    x, y = get_all_layers(net)[0].input_var, T.lvector("y")
    loss = objectives.categorical_crossentropy(get_output(net), y).mean()
    weights = get_all_params(net, trainable=True)
    steps = updates.adam(loss, weights, 0.01)
    return theano.function([x, y], loss, updates=steps)


def batches(x, y, batch_size):
    for i in range(0, len(x) - batch_size + 1, batch_size):
        yield x[i : i + batch_size], y[i : i + batch_size]


def train(learner, batches):
    return [learner(x, y) for x, y in batches]


@lru_cache(maxsize=1)
def compiled(net):
    x = get_all_layers(net)[0].input_var
    return theano.function([x], get_output(net, deterministic=True))


def predict(net, x):
    return compiled(net)(x)


def save(net, path):
    np.savez(path, *get_all_param_values(net))


def load(path):
    net = network()
    with np.load(f"{path}.npz") as file:
        set_all_param_values(net, [file[f"arr_{i}"] for i in range(len(file.files))])
    return net


def data():
    """imdb-shaped synthetic samples: noise, and a word for each class.

    For real data pass a .npz file with x_train, y_train, x_test and y_test.
    """
    if len(sys.argv) > 1:
        with np.load(sys.argv[1]) as file:
            return [file[k] for k in ("x_train", "y_train", "x_test", "y_test")]
    rng = np.random.default_rng(0)
    x = rng.integers(0, 20000, (5376, 256))
    y = rng.integers(0, 2, 5376)
    x = np.where(rng.random(x.shape) < 0.1, y[:, None] + 1, x)
    return x[:5120], y[:5120], x[5120:], y[5120:]


if __name__ == "__main__":
    x, y, x_test, y_test = data()
    net = network()
    learn = learner(net)
    for epoch in range(3):
        order = np.random.default_rng(epoch).permutation(len(x))
        losses = train(learn, batches(x[order], y[order], 256))
        print(f"epoch {epoch + 1}: loss {float(losses[-1]):.4f}")
    outputs = predict(net, x_test)
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
