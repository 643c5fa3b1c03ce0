"""The Rosetta Stone's CNN on CIFAR-10 in Lasagne, on Theano."""

import sys
from functools import lru_cache

import numpy as np
import theano
import theano.tensor as T
from lasagne import objectives, updates
from lasagne.layers import (
    Conv2DLayer,
    DenseLayer,
    DropoutLayer,
    InputLayer,
    MaxPool2DLayer,
    NonlinearityLayer,
    get_all_layers,
    get_all_param_values,
    get_all_params,
    get_output,
    set_all_param_values,
)
from lasagne.nonlinearities import softmax

theano.config.floatX = "float32"  # the default is float64


# Convolutional and dense layers apply a rectifier by default.
# A dense layer flattens what it reads.
def network():
    net = InputLayer((None, 3, 32, 32))
    net = Conv2DLayer(net, 50, 3, pad=1)
    net = Conv2DLayer(net, 50, 3, pad=1, nonlinearity=None)
    net = MaxPool2DLayer(net, 2)
    net = NonlinearityLayer(net)
    net = DropoutLayer(net, p=0.25)
    net = Conv2DLayer(net, 100, 3, pad=1)
    net = Conv2DLayer(net, 100, 3, pad=1, nonlinearity=None)
    net = MaxPool2DLayer(net, 2)
    net = NonlinearityLayer(net)
    net = DropoutLayer(net, p=0.25)
    net = DenseLayer(net, 512)
    net = DropoutLayer(net)
    return DenseLayer(net, 10, nonlinearity=softmax)


def learner(net):
    x, y = get_all_layers(net)[0].input_var, T.lvector("y")
    loss = objectives.categorical_crossentropy(get_output(net), y).mean()
    weights = get_all_params(net, trainable=True)
    steps = updates.momentum(loss, weights, 0.01)
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
    """cifar10-shaped synthetic samples: noise, and a pattern for each class.

    For real data pass a .npz file with x_train, y_train, x_test and y_test.
    """
    if len(sys.argv) > 1:
        with np.load(sys.argv[1]) as file:
            return [file[k] for k in ("x_train", "y_train", "x_test", "y_test")]
    rng = np.random.default_rng(0)
    x = rng.uniform(0.0, 1.0, (1344, 3, 32, 32)).astype("float32")
    y = rng.integers(0, 10, 1344)
    # The first samples serve as patterns.
    x = (x + x[:10][y]) / 2
    return x[:1280], y[:1280], x[1280:], y[1280:]


if __name__ == "__main__":
    x, y, x_test, y_test = data()
    net = network()
    learn = learner(net)
    for epoch in range(10):
        order = np.random.default_rng(epoch).permutation(len(x))
        losses = train(learn, batches(x[order], y[order], 64))
        print(f"epoch {epoch + 1}: loss {float(losses[-1]):.4f}")
    outputs = predict(net, x_test)
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
