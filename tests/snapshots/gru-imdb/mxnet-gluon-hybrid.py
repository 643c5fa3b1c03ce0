"""GRU on IMDB in MXNet, Gluon HybridBlock."""

import sys

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon
from mxnet.gluon import nn
from mxnet.gluon.data import ArrayDataset, DataLoader


class ReviewGRU(nn.HybridBlock):
    def __init__(self):
        super().__init__()
        self.embed1 = nn.Embedding(30000, 125)
        self.gru1 = gluon.rnn.GRU(100, layout="NTC")
        self.fc1 = nn.Dense(2)

    def hybrid_forward(self, F, x):
        x = self.embed1(x)
        x = self.gru1(x)
        x = F.flatten(F.slice_axis(x, axis=1, begin=-1, end=None))
        return self.fc1(x)


def network():
    net = ReviewGRU()
    net.initialize(mx.init.Xavier())
    return net


def learner(net):
    loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 1e-3})
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
        print(f"epoch {epoch + 1}: loss {losses[-1].asscalar():.4f}")
    outputs = predict(net, x_test).asnumpy()
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
