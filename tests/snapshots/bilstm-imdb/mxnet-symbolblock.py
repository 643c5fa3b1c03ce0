"""Bidirectional LSTM on IMDB in MXNet, Gluon SymbolBlock."""

import sys

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon
from mxnet.gluon.data import ArrayDataset, DataLoader


def bidirectional_lstm(x, features, units, name):
    # RNN takes its weights and biases as one vector.
    # It adds two biases to every gate; the second is zero here.
    parameters = mx.sym.concat(
        mx.sym.var(f"{name}_l0_i2h_weight", shape=(4 * units, features)).reshape(-1),
        mx.sym.var(f"{name}_l0_h2h_weight", shape=(4 * units, units)).reshape(-1),
        mx.sym.var(f"{name}_r0_i2h_weight", shape=(4 * units, features)).reshape(-1),
        mx.sym.var(f"{name}_r0_h2h_weight", shape=(4 * units, units)).reshape(-1),
        mx.sym.var(f"{name}_l0_i2h_bias", shape=(4 * units,)),
        mx.sym.zeros(4 * units),
        mx.sym.var(f"{name}_r0_i2h_bias", shape=(4 * units,)),
        mx.sym.zeros(4 * units),
        dim=0,
    )
    # 0 is the batch, of whatever size.
    state = mx.sym.zeros((2, 0, units))
    # RNN wants time before the batch.
    x = mx.sym.RNN(
        mx.sym.swapaxes(x, 0, 1),
        parameters,
        state,
        state,
        mode="lstm",
        state_size=units,
        num_layers=1,
        bidirectional=True,
    )
    return mx.sym.swapaxes(x, 0, 1)


def network():
    x = data = mx.sym.var("data", dtype="float32")
    x = mx.sym.Embedding(x, input_dim=20000, output_dim=64, name="embed1")
    x = bidirectional_lstm(x, 64, 128, name="lstm1")
    x = bidirectional_lstm(x, 256, 128, name="lstm2")
    x = mx.sym.flatten(
        mx.sym.concat(
            mx.sym.slice_axis(x, axis=1, begin=0, end=1),
            mx.sym.slice_axis(x, axis=1, begin=-1, end=None),
        )
    )
    x = mx.sym.FullyConnected(x, num_hidden=2, name="fc1")
    net = gluon.SymbolBlock(x, data)
    net.initialize()
    return net


def learner(net):
    loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
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
    net.collect_params().save(path)


def load(path):
    net = network()
    net.collect_params().load(path)
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
