"""GoogLeNet on random images in MXNet, Gluon HybridBlock."""

import sys

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon
from mxnet.gluon import nn
from mxnet.gluon.data import ArrayDataset, DataLoader


class Inception(nn.HybridBlock):
    def __init__(self, c1, r3, c3, r5, c5, pooled):
        super().__init__()
        self.conv1 = nn.Conv2D(c1, kernel_size=1, activation="relu")
        self.conv2 = nn.Conv2D(r3, kernel_size=1, activation="relu")
        self.conv3 = nn.Conv2D(c3, kernel_size=3, padding=1, activation="relu")
        self.conv4 = nn.Conv2D(r5, kernel_size=1, activation="relu")
        self.conv5 = nn.Conv2D(c5, kernel_size=5, padding=2, activation="relu")
        self.pool1 = nn.MaxPool2D(pool_size=3, strides=1, padding=1)
        self.conv6 = nn.Conv2D(pooled, kernel_size=1, activation="relu")

    def hybrid_forward(self, F, x):
        branch1 = self.conv1(x)
        branch2 = self.conv2(x)
        branch2 = self.conv3(branch2)
        branch3 = self.conv4(x)
        branch3 = self.conv5(branch3)
        branch4 = self.pool1(x)
        branch4 = self.conv6(branch4)
        return F.concat(branch1, branch2, branch3, branch4)


def network():
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(64, kernel_size=7, strides=2, padding=3, activation="relu"),
        nn.MaxPool2D(pool_size=3, strides=2),
        nn.Conv2D(64, kernel_size=1, activation="relu"),
        nn.Conv2D(192, kernel_size=3, padding=1, activation="relu"),
        nn.MaxPool2D(pool_size=3, strides=2),
        Inception(64, 96, 128, 16, 32, 32),
        Inception(128, 128, 192, 32, 96, 64),
        nn.MaxPool2D(pool_size=3, strides=2),
        Inception(192, 96, 208, 16, 48, 64),
        Inception(160, 112, 224, 24, 64, 64),
        Inception(128, 128, 256, 24, 64, 64),
        Inception(112, 144, 288, 32, 64, 64),
        Inception(256, 160, 320, 32, 128, 128),
        nn.MaxPool2D(pool_size=3, strides=2),
        Inception(256, 160, 320, 32, 128, 128),
        Inception(384, 192, 384, 48, 128, 128),
        nn.AvgPool2D(pool_size=2),
        # Dense flattens what it reads.
        nn.Dense(1000),
    )
    net.initialize(mx.init.Xavier())
    return net


def learner(net):
    loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01})
    return net, loss_fn, trainer


def batches(x, y, batch_size, workers=0):
    samples = ArrayDataset(x, y)
    return DataLoader(samples, batch_size, last_batch="discard", num_workers=workers)


def train(learner, batches):
    net, loss_fn, trainer = learner
    losses = []
    for x, y in batches:
        with autograd.record():
            # One loss for each sample; backward sums their gradients.
            loss = loss_fn(net(x), y)
        loss.backward()
        # Divides the gradients by the batch size.
        trainer.step(len(x))
        # Keep the array: reading its value here would make every step wait for it.
        losses.append(loss.mean())
    return losses


def predict(net, x):
    return net(mx.nd.array(x))


def save(net, path):
    net.save_parameters(path)


def load(path):
    net = network()
    net.load_parameters(path)
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
        print(f"epoch {epoch + 1}: loss {losses[-1].asscalar():.4f}")
    outputs = predict(net, x_test).asnumpy()
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
