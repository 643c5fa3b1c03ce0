"""Bidirectional LSTM on IMDB in Chainer, with iDeep."""

import sys

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer.dataset import concat_examples
from chainer.datasets import TupleDataset
from chainer.iterators import SerialIterator

chainer.config.use_ideep = "auto"


def one_bias(rnn):
    # Chainer adds two biases to every gate; the second is a constant zero here.
    for layer, biases in zip(rnn, rnn.bs):
        for i in range(len(biases) // 2, len(biases)):
            delattr(layer, f"b{i}")
            biases[i] = biases[i].array
    return rnn


# A size of None is found when the first batch comes.
# Recurrent links take the first states (None: zeros) and a list of sequences.
class ReviewBiLSTM(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.embed1 = L.EmbedID(20000, 64)
            self.lstm1 = one_bias(L.NStepBiLSTM(1, 64, 128, dropout=0))
            self.lstm2 = one_bias(L.NStepBiLSTM(1, 256, 128, dropout=0))
            self.fc1 = L.Linear(None, 2)

    def forward(self, x):
        x = self.embed1(x)
        _, _, x = self.lstm1(None, None, F.separate(x))
        _, _, x = self.lstm2(None, None, x)
        x = F.stack(x)
        x = F.concat((x[:, 0], x[:, -1]))
        return self.fc1(x)


def network():
    net = ReviewBiLSTM()
    net.to_device("@intel64")
    return net


def learner(net):
    optimizer = chainer.optimizers.Adam(alpha=0.01)
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
    x = rng.integers(0, 20000, (5376, 256))
    y = rng.integers(0, 2, 5376)
    x = np.where(rng.random(x.shape) < 0.1, y[:, None] + 1, x)
    return x[:5120], y[:5120], x[5120:], y[5120:]


if __name__ == "__main__":
    x, y, x_test, y_test = data()
    net = network()
    learn = learner(net)
    for epoch in range(3):
        order = np.random.default_rng(epoch).permutation(len(x))
        losses = train(learn, batches(x[order], y[order], 256))
        print(f"epoch {epoch + 1}: loss {float(losses[-1]):.4f}")
    outputs = np.asarray(predict(net, x_test))
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
