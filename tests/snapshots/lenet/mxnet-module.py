"""LeNet on MNIST in MXNet, Symbol and Module."""

import sys

import mxnet as mx
import numpy as np


def network():
    x = mx.sym.var("data")
    x = mx.sym.Convolution(x, num_filter=6, kernel=(5, 5), name="conv1")
    x = mx.sym.Activation(x, act_type="relu")
    x = mx.sym.Pooling(x, pool_type="avg", kernel=(2, 2), stride=(2, 2))
    x = mx.sym.Convolution(x, num_filter=16, kernel=(3, 3), name="conv2")
    x = mx.sym.Activation(x, act_type="relu")
    x = mx.sym.Pooling(x, pool_type="avg", kernel=(2, 2), stride=(2, 2))
    # FullyConnected flattens what it reads.
    x = mx.sym.FullyConnected(x, num_hidden=120, name="fc1")
    x = mx.sym.Activation(x, act_type="relu")
    x = mx.sym.FullyConnected(x, num_hidden=84, name="fc2")
    x = mx.sym.Activation(x, act_type="relu")
    x = mx.sym.FullyConnected(x, num_hidden=10, name="fc3")
    # Probabilities; its backward pass is the gradient of the mean cross-entropy.
    softmax = mx.sym.SoftmaxOutput(x, normalization="batch", name="softmax")
    # The scores too: the loss cannot be had from a probability that rounds to zero.
    net = mx.mod.Module(mx.sym.Group([softmax, mx.sym.BlockGrad(x)]))
    # Other batch sizes are bound when they occur.
    net.bind([("data", (200, 1, 28, 28))], [("softmax_label", (200,))])
    net.init_params(mx.init.Xavier())
    return net


def learner(net):
    # Module would divide gradients by the batch size, but the loss is a mean already.
    net.init_optimizer("local", "adam", {"learning_rate": 1e-3, "rescale_grad": 1})
    # A Module holds its own optimiser.
    return net


def batches(x, y, batch_size):
    return mx.io.NDArrayIter(x, y, batch_size, last_batch_handle="discard")


def train(learner, batches):
    losses = []
    batches.reset()
    for batch in batches:
        learner.forward_backward(batch)
        learner.update()
        # Keep an array: reading its value here would make every step wait for it.
        _, scores = learner.get_outputs()
        losses.append(-mx.nd.pick(mx.nd.log_softmax(scores), batch.label[0]).mean())
    return losses


def predict(net, x):
    # Module wants labels of the right shape even where they are not read.
    label = mx.nd.zeros(len(x))
    net.forward(mx.io.DataBatch([mx.nd.array(x)], [label]), is_train=False)
    # The next call writes into the same array.
    return net.get_outputs()[0].copy()


def save(net, path):
    net.save_params(path)


def load(path):
    net = network()
    net.load_params(path)
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
        print(f"epoch {epoch + 1}: loss {losses[-1].asscalar():.4f}")
    outputs = predict(net, x_test).asnumpy()
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
