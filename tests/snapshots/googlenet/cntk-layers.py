"""GoogLeNet on random images in CNTK, with its layers library."""

import sys

import cntk as C
import numpy as np


def inception(x, c1, r3, c3, r5, c5, pooled):
    branch1 = C.layers.Convolution2D((1, 1), c1, activation=C.relu)(x)
    branch2 = C.layers.Convolution2D((1, 1), r3, activation=C.relu)(x)
    branch2 = C.layers.Convolution2D((3, 3), c3, activation=C.relu, pad=True)(branch2)
    branch3 = C.layers.Convolution2D((1, 1), r5, activation=C.relu)(x)
    branch3 = C.layers.Convolution2D((5, 5), c5, activation=C.relu, pad=True)(branch3)
    branch4 = C.layers.MaxPooling((3, 3), pad=True)(x)
    branch4 = C.layers.Convolution2D((1, 1), pooled, activation=C.relu)(branch4)
    return C.splice(branch1, branch2, branch3, branch4, axis=0)


def network():
    x = C.input_variable((3, 224, 224))
    x = C.layers.Convolution2D((7, 7), 64, activation=C.relu, strides=2, pad=True)(x)
    x = C.layers.MaxPooling((3, 3), strides=2)(x)
    x = C.layers.Convolution2D((1, 1), 64, activation=C.relu)(x)
    x = C.layers.Convolution2D((3, 3), 192, activation=C.relu, pad=True)(x)
    x = C.layers.MaxPooling((3, 3), strides=2)(x)
    x = inception(x, 64, 96, 128, 16, 32, 32)
    x = inception(x, 128, 128, 192, 32, 96, 64)
    x = C.layers.MaxPooling((3, 3), strides=2)(x)
    x = inception(x, 192, 96, 208, 16, 48, 64)
    x = inception(x, 160, 112, 224, 24, 64, 64)
    x = inception(x, 128, 128, 256, 24, 64, 64)
    x = inception(x, 112, 144, 288, 32, 64, 64)
    x = inception(x, 256, 160, 320, 32, 128, 128)
    x = C.layers.MaxPooling((3, 3), strides=2)(x)
    x = inception(x, 256, 160, 320, 32, 128, 128)
    x = inception(x, 384, 192, 384, 48, 128, 128)
    x = C.layers.AveragePooling((2, 2), strides=2)(x)
    return C.layers.Dense(1000)(x)


def learner(net):
    x, y = net.arguments[0], C.input_variable(())
    loss = C.cross_entropy_with_softmax(net, C.one_hot(y, 1000))
    optimizer = C.sgd(net.parameters, 0.01)
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
    outputs = np.asarray(predict(net, x_test))
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
