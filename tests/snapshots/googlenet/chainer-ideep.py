"""GoogLeNet on random images in Chainer, with iDeep."""

import sys

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer.dataset import concat_examples
from chainer.datasets import TupleDataset
from chainer.iterators import SerialIterator

chainer.config.use_ideep = "auto"


# A size of None is found when the first batch comes.
# Where windows do not fit evenly, cover_all=False rounds sizes down.
class Inception(chainer.Chain):
    def __init__(self, c1, r3, c3, r5, c5, pooled):
        super().__init__()
        with self.init_scope():
            self.conv1 = L.Convolution2D(None, c1, ksize=1)
            self.conv2 = L.Convolution2D(None, r3, ksize=1)
            self.conv3 = L.Convolution2D(None, c3, ksize=3, pad=1)
            self.conv4 = L.Convolution2D(None, r5, ksize=1)
            self.conv5 = L.Convolution2D(None, c5, ksize=5, pad=2)
            self.conv6 = L.Convolution2D(None, pooled, ksize=1)

    def forward(self, x):
        branch1 = F.relu(self.conv1(x))
        branch2 = F.relu(self.conv2(x))
        branch2 = F.relu(self.conv3(branch2))
        branch3 = F.relu(self.conv4(x))
        branch3 = F.relu(self.conv5(branch3))
        branch4 = F.max_pooling_2d(x, 3, stride=1, pad=1)
        branch4 = F.relu(self.conv6(branch4))
        return F.concat((branch1, branch2, branch3, branch4))


class GoogLeNet(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.conv1 = L.Convolution2D(None, 64, ksize=7, stride=2, pad=3)
            self.conv2 = L.Convolution2D(None, 64, ksize=1)
            self.conv3 = L.Convolution2D(None, 192, ksize=3, pad=1)
            self.inception3a = Inception(64, 96, 128, 16, 32, 32)
            self.inception3b = Inception(128, 128, 192, 32, 96, 64)
            self.inception4a = Inception(192, 96, 208, 16, 48, 64)
            self.inception4b = Inception(160, 112, 224, 24, 64, 64)
            self.inception4c = Inception(128, 128, 256, 24, 64, 64)
            self.inception4d = Inception(112, 144, 288, 32, 64, 64)
            self.inception4e = Inception(256, 160, 320, 32, 128, 128)
            self.inception5a = Inception(256, 160, 320, 32, 128, 128)
            self.inception5b = Inception(384, 192, 384, 48, 128, 128)
            self.fc1 = L.Linear(None, 1000)

    def forward(self, x):
        x = F.max_pooling_2d(F.relu(self.conv1(x)), 3, stride=2, cover_all=False)
        x = F.relu(self.conv2(x))
        x = F.max_pooling_2d(F.relu(self.conv3(x)), 3, stride=2)
        x = self.inception3a(x)
        x = F.max_pooling_2d(self.inception3b(x), 3, stride=2)
        x = self.inception4a(x)
        x = self.inception4b(x)
        x = self.inception4c(x)
        x = self.inception4d(x)
        x = F.max_pooling_2d(self.inception4e(x), 3, stride=2)
        x = self.inception5a(x)
        x = F.average_pooling_2d(self.inception5b(x), 2)
        # Linear flattens what it reads.
        return self.fc1(x)


def network():
    net = GoogLeNet()
    net.to_device("@intel64")
    return net


def learner(net):
    optimizer = chainer.optimizers.SGD(lr=0.01)
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
