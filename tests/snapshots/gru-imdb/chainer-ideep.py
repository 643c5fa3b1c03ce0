"""GRU on IMDB in Chainer, with iDeep."""

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
# Recurrent links take the first states (None: zeros) and a list of sequences.
class ReviewGRU(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.embed1 = L.EmbedID(30000, 125)
            self.gru1 = L.NStepGRU(1, 125, 100, dropout=0)
            self.fc1 = L.Linear(None, 2)

    def forward(self, x):
        x = self.embed1(x)
        # h is the state after the last step.
        h, _ = self.gru1(None, F.separate(x))
        return self.fc1(h[0])


def network():
    net = ReviewGRU()
    net.to_device("@intel64")
    return net


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
    """imdb-shaped synthetic samples: noise, and a word for each class.

    For real data pass a .npz file with x_train, y_train, x_test and y_test.
    """
    if len(sys.argv) > 1:
        with np.load(sys.argv[1]) as file:
            return [file[k] for k in ("x_train", "y_train", "x_test", "y_test")]
    rng = np.random.default_rng(0)
    x = rng.integers(0, 30000, (1344, 150))
    y = rng.integers(0, 2, 1344)
    x = np.where(rng.random(x.shape) < 0.1, y[:, None] + 1, x)
    return x[:1280], y[:1280], x[1280:], y[1280:]


if __name__ == "__main__":
    x, y, x_test, y_test = data()
    net = network()
    learn = learner(net)
    for epoch in range(3):
        order = np.random.default_rng(epoch).permutation(len(x))
        losses = train(learn, batches(x[order], y[order], 64))
        print(f"epoch {epoch + 1}: loss {float(losses[-1]):.4f}")
    outputs = np.asarray(predict(net, x_test))
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
