"""Bidirectional LSTM on IMDB in JAX, with Flax NNX."""

import sys
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx, serialization


class ReviewBiLSTM(nnx.Module):
    def __init__(self, rngs):
        self.embed1 = nnx.Embed(20000, 64, rngs=rngs)
        self.lstm1 = nnx.Bidirectional(
            nnx.RNN(nnx.OptimizedLSTMCell(64, 128, rngs=rngs)),
            nnx.RNN(nnx.OptimizedLSTMCell(64, 128, rngs=rngs)),
        )
        self.lstm2 = nnx.Bidirectional(
            nnx.RNN(nnx.OptimizedLSTMCell(256, 128, rngs=rngs)),
            nnx.RNN(nnx.OptimizedLSTMCell(256, 128, rngs=rngs)),
        )
        self.fc1 = nnx.Linear(512, 2, rngs=rngs)

    def __call__(self, x):
        x = self.embed1(x)
        x = self.lstm1(x)
        x = self.lstm2(x)
        x = jnp.concatenate([x[:, 0], x[:, -1]], axis=-1)
        return self.fc1(x)


def network():
    return ReviewBiLSTM(nnx.Rngs(0))


def loss_fn(net, x, y):
    return optax.softmax_cross_entropy_with_integer_labels(net(x), y).mean()


def learner(net):
    optimizer = nnx.Optimizer(net, optax.adam(0.01), wrt=nnx.Param)
    return net, optimizer


def batches(x, y, batch_size):
    for i in range(0, len(x) - batch_size + 1, batch_size):
        yield x[i : i + batch_size], y[i : i + batch_size]


@nnx.jit
def step(net, optimizer, x, y):
    loss, grads = nnx.value_and_grad(loss_fn)(net, x, y)
    optimizer.update(net, grads)
    return loss


def train(learner, batches):
    net, optimizer = learner
    # The losses are still being computed: reading a value would make its step wait.
    return [step(net, optimizer, x, y) for x, y in batches]


@nnx.jit
def predict(net, x):
    return net(x)


def save(net, path):
    weights = nnx.state(net, nnx.Param)
    packed = serialization.msgpack_serialize(nnx.to_pure_dict(weights))
    Path(path).write_bytes(packed)


def load(path):
    net = network()
    nnx.update(net, serialization.msgpack_restore(Path(path).read_bytes()))
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
