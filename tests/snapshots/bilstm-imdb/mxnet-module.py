"""Bidirectional LSTM on IMDB in MXNet, Symbol and Module."""

import sys

import mxnet as mx
import numpy as np


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
    x = mx.sym.var("data")
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
    # Probabilities; its backward pass is the gradient of the mean cross-entropy.
    softmax = mx.sym.SoftmaxOutput(x, normalization="batch", name="softmax")
    # The scores too: the loss cannot be had from a probability that rounds to zero.
    net = mx.mod.Module(mx.sym.Group([softmax, mx.sym.BlockGrad(x)]))
    # Other batch sizes are bound when they occur.
    net.bind([("data", (256, 256))], [("softmax_label", (256,))])
    net.init_params(mx.init.Xavier())
    return net


def learner(net):
    # Module would divide gradients by the batch size, but the loss is a mean already.
    net.init_optimizer("local", "adam", {"learning_rate": 0.01, "rescale_grad": 1})
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
