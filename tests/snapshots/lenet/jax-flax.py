"""LeNet on MNIST in JAX, with Flax NNX."""

import sys
from pathlib import Path

import numpy as np
import optax
from flax import nnx, serialization


# Images are height × width × channels.
class LeNet(nnx.Module):
    def __init__(self, rngs):
        self.conv1 = nnx.Conv(1, 6, (5, 5), padding="VALID", rngs=rngs)
        self.conv2 = nnx.Conv(6, 16, (3, 3), padding="VALID", rngs=rngs)
        self.fc1 = nnx.Linear(400, 120, rngs=rngs)
        self.fc2 = nnx.Linear(120, 84, rngs=rngs)
        self.fc3 = nnx.Linear(84, 10, rngs=rngs)

    def __call__(self, x):
        x = nnx.avg_pool(nnx.relu(self.conv1(x)), (2, 2), strides=(2, 2))
        x = nnx.avg_pool(nnx.relu(self.conv2(x)), (2, 2), strides=(2, 2))
        x = x.reshape(x.shape[0], -1)
        x = nnx.relu(self.fc1(x))
        x = nnx.relu(self.fc2(x))
        return self.fc3(x)


def network():
    return LeNet(nnx.Rngs(0))


def loss_fn(net, x, y):
    return optax.softmax_cross_entropy_with_integer_labels(net(x), y).mean()


def learner(net):
    optimizer = nnx.Optimizer(net, optax.adam(1e-3), wrt=nnx.Param)
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
    """mnist-shaped synthetic samples: noise, and a pattern for each class.

    For real data pass a .npz file with x_train, y_train, x_test and y_test.
    """
    if len(sys.argv) > 1:
        with np.load(sys.argv[1]) as file:
            return [file[k] for k in ("x_train", "y_train", "x_test", "y_test")]
    rng = np.random.default_rng(0)
    x = rng.uniform(0.0, 255.0, (4200, 28, 28, 1)).astype("float32")
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
        print(f"epoch {epoch + 1}: loss {float(losses[-1]):.4f}")
    outputs = np.asarray(predict(net, x_test))
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
