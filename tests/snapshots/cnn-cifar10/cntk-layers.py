"""The Rosetta Stone's CNN on CIFAR-10 in CNTK, with its layers library."""

import sys

import cntk as C
import numpy as np


def network():
    x = C.input_variable((3, 32, 32))
    net = C.layers.Sequential(
        [
            C.layers.Convolution2D((3, 3), 50, activation=C.relu, pad=True),
            C.layers.Convolution2D((3, 3), 50, pad=True),
            C.layers.MaxPooling((2, 2), strides=2),
            C.relu,
            C.layers.Dropout(0.25),
            C.layers.Convolution2D((3, 3), 100, activation=C.relu, pad=True),
            C.layers.Convolution2D((3, 3), 100, pad=True),
            C.layers.MaxPooling((2, 2), strides=2),
            C.relu,
            C.layers.Dropout(0.25),
            C.layers.Dense(512, activation=C.relu),
            C.layers.Dropout(0.5),
            C.layers.Dense(10),
        ]
    )
    return net(x)


def learner(net):
    x, y = net.arguments[0], C.input_variable(())
    loss = C.cross_entropy_with_softmax(net, C.one_hot(y, 10))
    optimizer = C.momentum_sgd(net.parameters, 0.01, 0.9, unit_gain=False)
    return C.Trainer(net, loss, optimizer), x, y


def batches(x, y, batch_size):
    for i in range(0, len(x) - batch_size + 1, batch_size):
        yield x[i : i + batch_size], y[i : i + batch_size]


def train(learner, batches):
    trainer, x, y = learner
    losses = []
    for samples, targets in batches:
        trainer.train_minibatch({x: samples, y: targets})
        losses.append(trainer.previous_minibatch_loss_average)
    return losses


def predict(net, x):
    return net.eval(x)


def save(net, path):
    net.save(path)


def load(path):
    return C.load_model(path)


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
    outputs = np.asarray(predict(net, x_test))
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
