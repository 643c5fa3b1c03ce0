"""GoogLeNet on random images in Lasagne, on Theano."""

import sys
from functools import lru_cache

import numpy as np
import theano
import theano.tensor as T
from lasagne import objectives, updates
from lasagne.layers import (
    ConcatLayer,
    Conv2DLayer,
    DenseLayer,
    InputLayer,
    MaxPool2DLayer,
    Pool2DLayer,
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
def inception(net, c1, r3, c3, r5, c5, pooled):
    branch1 = Conv2DLayer(net, c1, 1)
    branch2 = Conv2DLayer(net, r3, 1)
    branch2 = Conv2DLayer(branch2, c3, 3, pad=1)
    branch3 = Conv2DLayer(net, r5, 1)
    branch3 = Conv2DLayer(branch3, c5, 5, pad=2)
    branch4 = MaxPool2DLayer(net, 3, stride=1, pad=1)
    branch4 = Conv2DLayer(branch4, pooled, 1)
    return ConcatLayer([branch1, branch2, branch3, branch4])


def network():
    net = InputLayer((None, 3, 224, 224))
    net = Conv2DLayer(net, 64, 7, stride=2, pad=3)
    net = MaxPool2DLayer(net, 3, stride=2)
    net = Conv2DLayer(net, 64, 1)
    net = Conv2DLayer(net, 192, 3, pad=1)
    net = MaxPool2DLayer(net, 3, stride=2)
    net = inception(net, 64, 96, 128, 16, 32, 32)
    net = inception(net, 128, 128, 192, 32, 96, 64)
    net = MaxPool2DLayer(net, 3, stride=2)
    net = inception(net, 192, 96, 208, 16, 48, 64)
    net = inception(net, 160, 112, 224, 24, 64, 64)
    net = inception(net, 128, 128, 256, 24, 64, 64)
    net = inception(net, 112, 144, 288, 32, 64, 64)
    net = inception(net, 256, 160, 320, 32, 128, 128)
    net = MaxPool2DLayer(net, 3, stride=2)
    net = inception(net, 256, 160, 320, 32, 128, 128)
    net = inception(net, 384, 192, 384, 48, 128, 128)
    net = Pool2DLayer(net, 2, mode="average_exc_pad")
    return DenseLayer(net, 1000, nonlinearity=softmax)


def learner(net):
    x, y = get_all_layers(net)[0].input_var, T.lvector("y")
    loss = objectives.categorical_crossentropy(get_output(net), y).mean()
    weights = get_all_params(net, trainable=True)
    steps = updates.sgd(loss, weights, 0.01)
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
    """random-images-shaped synthetic samples: noise, and a pattern for each class.

    For real data pass a .npz file with x_train, y_train, x_test and y_test.
    """
    if len(sys.argv) > 1:
        with np.load(sys.argv[1]) as file:
            return [file[k] for k in ("x_train", "y_train", "x_test", "y_test")]
    rng = np.random.default_rng(0)
    x = rng.uniform(-1.0, 1.0, (384, 3, 224, 224)).astype("float32")
    y = rng.integers(0, 10, 384)
    # The first samples serve as patterns.
    x = (x + x[:10][y]) / 2
    return x[:256], y[:256], x[256:], y[256:]


if __name__ == "__main__":
    x, y, x_test, y_test = data()
    net = network()
    learn = learner(net)
    for epoch in range(1):
        order = np.random.default_rng(epoch).permutation(len(x))
        losses = train(learn, batches(x[order], y[order], 128))
        print(f"epoch {epoch + 1}: loss {float(losses[-1]):.4f}")
    outputs = predict(net, x_test)
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
