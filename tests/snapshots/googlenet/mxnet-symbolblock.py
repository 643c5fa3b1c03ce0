"""GoogLeNet on random images in MXNet, Gluon SymbolBlock."""

import sys

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon
from mxnet.gluon.data import ArrayDataset, DataLoader


def inception(x, c1, r3, c3, r5, c5, pooled, name):
    branch1 = mx.sym.Convolution(x, num_filter=c1, kernel=(1, 1), name=f"{name}_conv1")
    branch1 = mx.sym.Activation(branch1, act_type="relu")
    branch2 = mx.sym.Convolution(x, num_filter=r3, kernel=(1, 1), name=f"{name}_conv2")
    branch2 = mx.sym.Activation(branch2, act_type="relu")
    branch2 = mx.sym.Convolution(
        branch2, num_filter=c3, kernel=(3, 3), pad=(1, 1), name=f"{name}_conv3"
    )
    branch2 = mx.sym.Activation(branch2, act_type="relu")
    branch3 = mx.sym.Convolution(x, num_filter=r5, kernel=(1, 1), name=f"{name}_conv4")
    branch3 = mx.sym.Activation(branch3, act_type="relu")
    branch3 = mx.sym.Convolution(
        branch3, num_filter=c5, kernel=(5, 5), pad=(2, 2), name=f"{name}_conv5"
    )
    branch3 = mx.sym.Activation(branch3, act_type="relu")
    branch4 = mx.sym.Pooling(x, pool_type="max", kernel=(3, 3), pad=(1, 1))
    branch4 = mx.sym.Convolution(
        branch4, num_filter=pooled, kernel=(1, 1), name=f"{name}_conv6"
    )
    branch4 = mx.sym.Activation(branch4, act_type="relu")
    return mx.sym.concat(branch1, branch2, branch3, branch4)


def network():
    x = data = mx.sym.var("data", dtype="float32")
    x = mx.sym.Convolution(
        x, num_filter=64, kernel=(7, 7), stride=(2, 2), pad=(3, 3), name="conv1"
    )
    x = mx.sym.Activation(x, act_type="relu")
    x = mx.sym.Pooling(x, pool_type="max", kernel=(3, 3), stride=(2, 2))
    x = mx.sym.Convolution(x, num_filter=64, kernel=(1, 1), name="conv2")
    x = mx.sym.Activation(x, act_type="relu")
    x = mx.sym.Convolution(x, num_filter=192, kernel=(3, 3), pad=(1, 1), name="conv3")
    x = mx.sym.Activation(x, act_type="relu")
    x = mx.sym.Pooling(x, pool_type="max", kernel=(3, 3), stride=(2, 2))
    x = inception(x, 64, 96, 128, 16, 32, 32, name="inception3a")
    x = inception(x, 128, 128, 192, 32, 96, 64, name="inception3b")
    x = mx.sym.Pooling(x, pool_type="max", kernel=(3, 3), stride=(2, 2))
    x = inception(x, 192, 96, 208, 16, 48, 64, name="inception4a")
    x = inception(x, 160, 112, 224, 24, 64, 64, name="inception4b")
    x = inception(x, 128, 128, 256, 24, 64, 64, name="inception4c")
    x = inception(x, 112, 144, 288, 32, 64, 64, name="inception4d")
    x = inception(x, 256, 160, 320, 32, 128, 128, name="inception4e")
    x = mx.sym.Pooling(x, pool_type="max", kernel=(3, 3), stride=(2, 2))
    x = inception(x, 256, 160, 320, 32, 128, 128, name="inception5a")
    x = inception(x, 384, 192, 384, 48, 128, 128, name="inception5b")
    x = mx.sym.Pooling(x, pool_type="avg", kernel=(2, 2), stride=(2, 2))
    # FullyConnected flattens what it reads.
    x = mx.sym.FullyConnected(x, num_hidden=1000, name="fc1")
    net = gluon.SymbolBlock(x, data)
    net.initialize()
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
    net.collect_params().save(path)


def load(path):
    net = network()
    net.collect_params().load(path)
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
