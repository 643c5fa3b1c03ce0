"""The Rosetta Stone's CNN on CIFAR-10 in MXNet, Gluon SymbolBlock."""

import sys

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon
from mxnet.gluon.data import ArrayDataset, DataLoader


def network():
    x = data = mx.sym.var("data", dtype="float32")
    x = mx.sym.Convolution(x, num_filter=50, kernel=(3, 3), pad=(1, 1), name="conv1")
    x = mx.sym.Activation(x, act_type="relu")
    x = mx.sym.Convolution(x, num_filter=50, kernel=(3, 3), pad=(1, 1), name="conv2")
    x = mx.sym.Pooling(x, pool_type="max", kernel=(2, 2), stride=(2, 2))
    x = mx.sym.Activation(x, act_type="relu")
    x = mx.sym.Dropout(x, p=0.25)
    x = mx.sym.Convolution(x, num_filter=100, kernel=(3, 3), pad=(1, 1), name="conv3")
    x = mx.sym.Activation(x, act_type="relu")
    x = mx.sym.Convolution(x, num_filter=100, kernel=(3, 3), pad=(1, 1), name="conv4")
    x = mx.sym.Pooling(x, pool_type="max", kernel=(2, 2), stride=(2, 2))
    x = mx.sym.Activation(x, act_type="relu")
    x = mx.sym.Dropout(x, p=0.25)
    # FullyConnected flattens what it reads.
    x = mx.sym.FullyConnected(x, num_hidden=512, name="fc1")
    x = mx.sym.Activation(x, act_type="relu")
    x = mx.sym.Dropout(x, p=0.5)
    x = mx.sym.FullyConnected(x, num_hidden=10, name="fc2")
    net = gluon.SymbolBlock(x, data)
    net.initialize()
    return net


def learner(net):
    loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(
        net.collect_params(), "sgd", {"learning_rate": 0.01, "momentum": 0.9}
    )
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
        print(f"epoch {epoch + 1}: loss {losses[-1].asscalar():.4f}")
    outputs = predict(net, x_test).asnumpy()
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
