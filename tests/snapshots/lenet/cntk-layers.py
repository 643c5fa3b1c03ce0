"""LeNet on MNIST in CNTK, with its layers library."""

import sys

import cntk as C
import numpy as np


def network():
    x = C.input_variable((1, 28, 28))
    net = C.layers.Sequential(
        [
            C.layers.Convolution2D((5, 5), 6, activation=C.relu),
            C.layers.AveragePooling((2, 2), strides=2),
            C.layers.Convolution2D((3, 3), 16, activation=C.relu),
            C.layers.AveragePooling((2, 2), strides=2),
            C.layers.Dense(120, activation=C.relu),
            C.layers.Dense(84, activation=C.relu),
            C.layers.Dense(10),
        ]
    )
    return net(x)


def learner(net):
    x, y = net.arguments[0], C.input_variable(())
    loss = C.cross_entropy_with_softmax(net, C.one_hot(y, 10))
    # By default CNTK divides Adam's rate by the batch size.
    optimizer = C.adam(
        net.parameters,
        1e-3,
        0.9,
        variance_momentum=0.999,
        minibatch_size=C.learners.IGNORE,
    )
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
    """mnist-shaped synthetic samples: noise, and a pattern for each class.

    For real data pass a .npz file with x_train, y_train, x_test and y_test.
    """
    if len(sys.argv) > 1:
        with np.load(sys.argv[1]) as file:
            return [file[k] for k in ("x_train", "y_train", "x_test", "y_test")]
    rng = np.random.default_rng(0)
    x = rng.uniform(0.0, 255.0, (4200, 1, 28, 28)).astype("float32")
    y = rng.integers(0, 10, 4200)
    # The first samples serve as patterns.
    x = (x + x[:10][y]) / 2
    return x[:4000], y[:4000], x[4000:], y[4000:]


if __name__ == "__main__":
    x, y, x_test, y_test = data()
    net = network()
    learn = learner(net)
    for epoch in range(15):
        order = np.random.default_rng(epoch).permutation(len(x))
        losses = train(learn, batches(x[order], y[order], 200))
        print(f"epoch {epoch + 1}: loss {float(losses[-1]):.4f}")
    outputs = np.asarray(predict(net, x_test))
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
