"""Bidirectional LSTM on IMDB in MXNet, Gluon hybridized with static memory."""

import sys

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon
from mxnet.gluon import nn


def one_bias(rnn):
    # Gluon adds two biases to every gate; the second stays at zero here, untrained.
    rnn.collect_params(".*h2h_bias").setattr("grad_req", "null")
    return rnn


class ReviewBiLSTM(nn.HybridBlock):
    def __init__(self):
        super().__init__()
        self.embed1 = nn.Embedding(20000, 64)
        self.lstm1 = one_bias(gluon.rnn.LSTM(128, layout="NTC", bidirectional=True))
        self.lstm2 = one_bias(gluon.rnn.LSTM(128, layout="NTC", bidirectional=True))
        self.fc1 = nn.Dense(2)

    def hybrid_forward(self, F, x):
        x = self.embed1(x)
        x = self.lstm1(x)
        x = self.lstm2(x)
        x = F.flatten(
            F.concat(
                F.slice_axis(x, axis=1, begin=0, end=1),
                F.slice_axis(x, axis=1, begin=-1, end=None),
            )
        )
        return self.fc1(x)


def network():
    net = ReviewBiLSTM()
    net.initialize(mx.init.Xavier())
    net.hybridize(static_alloc=True, static_shape=True)
    return net


def learner(net):
    loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()
    loss_fn.hybridize(static_alloc=True, static_shape=True)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
    return net, loss_fn, trainer


def batches(x, y, batch_size):
    return mx.io.NDArrayIter(x, y, batch_size, last_batch_handle="discard")


def train(learner, batches):
    net, loss_fn, trainer = learner
    losses = []
    batches.reset()
    for batch in batches:
        x, y = batch.data[0], batch.label[0]
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
        print(f"epoch {epoch + 1}: loss {losses[-1].asscalar():.4f}")
    outputs = predict(net, x_test).asnumpy()
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
