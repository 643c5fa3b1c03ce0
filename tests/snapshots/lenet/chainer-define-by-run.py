"""LeNet on MNIST in Chainer."""

import sys

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer.dataset import concat_examples
from chainer.datasets import TupleDataset
from chainer.iterators import SerialIterator


# A size of None is found when the first batch comes.
class LeNet(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.conv1 = L.Convolution2D(None, 6, ksize=5)
            self.conv2 = L.Convolution2D(None, 16, ksize=3)
            self.fc1 = L.Linear(None, 120)
            self.fc2 = L.Linear(None, 84)
            self.fc3 = L.Linear(None, 10)

    def forward(self, x):
        x = F.average_pooling_2d(F.relu(self.conv1(x)), 2)
        x = F.average_pooling_2d(F.relu(self.conv2(x)), 2)
        # Linear flattens what it reads.
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)


def network():
    return LeNet()


def learner(net):
    optimizer = chainer.optimizers.Adam(alpha=1e-3)
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
