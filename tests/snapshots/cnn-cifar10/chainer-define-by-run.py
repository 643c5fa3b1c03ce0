"""The Rosetta Stone's CNN on CIFAR-10 in Chainer."""

import sys

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer.dataset import concat_examples
from chainer.datasets import TupleDataset
from chainer.iterators import SerialIterator


# A size of None is found when the first batch comes.
class CNN(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.conv1 = L.Convolution2D(None, 50, ksize=3, pad=1)
            self.conv2 = L.Convolution2D(None, 50, ksize=3, pad=1)
            self.conv3 = L.Convolution2D(None, 100, ksize=3, pad=1)
            self.conv4 = L.Convolution2D(None, 100, ksize=3, pad=1)
            self.fc1 = L.Linear(None, 512)
            self.fc2 = L.Linear(None, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.dropout(F.relu(F.max_pooling_2d(self.conv2(x), 2)), ratio=0.25)
        x = F.relu(self.conv3(x))
        x = F.dropout(F.relu(F.max_pooling_2d(self.conv4(x), 2)), ratio=0.25)
        # Linear flattens what it reads.
        x = F.dropout(F.relu(self.fc1(x)))
        return self.fc2(x)


def network():
    return CNN()


def learner(net):
    optimizer = chainer.optimizers.MomentumSGD(lr=0.01)
    optimizer.setup(net)
    return net, F.softmax_cross_entropy, optimizer


def batches(x, y, batch_size):
    whole = len(x) // batch_size * batch_size
    samples = TupleDataset(x[:whole], y[:whole])
    iterator = SerialIterator(samples, batch_size, repeat=False, shuffle=False)
    return map(concat_examples, iterator)


def train(learner, batches):
    net, loss_fn, optimizer = learner
    losses = []
    for x, y in batches:
        loss = loss_fn(net(x), y)
        net.cleargrads()
        loss.backward()
        optimizer.update()
        # Only the value: a Variable keeps its whole computation graph alive.
        losses.append(loss.array)
    return losses


def predict(net, x):
    with chainer.using_config("train", False), chainer.no_backprop_mode():
        return net(x).array


def save(net, path):
    chainer.serializers.save_npz(path, net)


def load(path):
    net = network()
    chainer.serializers.load_npz(path, net)
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
    outputs = np.asarray(predict(net, x_test))
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
