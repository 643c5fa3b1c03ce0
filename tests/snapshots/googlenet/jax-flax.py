"""GoogLeNet on random images in JAX, with Flax NNX."""

import sys
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx, serialization


# Images are height × width × channels. By default convolutions keep their size.
class Inception(nnx.Module):
    def __init__(self, in_channels, c1, r3, c3, r5, c5, pooled, rngs):
        self.conv1 = nnx.Conv(in_channels, c1, (1, 1), rngs=rngs)
        self.conv2 = nnx.Conv(in_channels, r3, (1, 1), rngs=rngs)
        self.conv3 = nnx.Conv(r3, c3, (3, 3), rngs=rngs)
        self.conv4 = nnx.Conv(in_channels, r5, (1, 1), rngs=rngs)
        self.conv5 = nnx.Conv(r5, c5, (5, 5), rngs=rngs)
        self.conv6 = nnx.Conv(in_channels, pooled, (1, 1), rngs=rngs)

    def __call__(self, x):
        branch1 = nnx.relu(self.conv1(x))
        branch2 = nnx.relu(self.conv2(x))
        branch2 = nnx.relu(self.conv3(branch2))
        branch3 = nnx.relu(self.conv4(x))
        branch3 = nnx.relu(self.conv5(branch3))
        branch4 = nnx.max_pool(x, (3, 3), padding=((1, 1), (1, 1)))
        branch4 = nnx.relu(self.conv6(branch4))
        return jnp.concatenate([branch1, branch2, branch3, branch4], axis=-1)


class GoogLeNet(nnx.Module):
    def __init__(self, rngs):
        self.conv1 = nnx.Conv(3, 64, (7, 7), strides=2, padding=3, rngs=rngs)
        self.conv2 = nnx.Conv(64, 64, (1, 1), rngs=rngs)
        self.conv3 = nnx.Conv(64, 192, (3, 3), rngs=rngs)
        self.inception3a = Inception(192, 64, 96, 128, 16, 32, 32, rngs=rngs)
        self.inception3b = Inception(256, 128, 128, 192, 32, 96, 64, rngs=rngs)
        self.inception4a = Inception(480, 192, 96, 208, 16, 48, 64, rngs=rngs)
        self.inception4b = Inception(512, 160, 112, 224, 24, 64, 64, rngs=rngs)
        self.inception4c = Inception(512, 128, 128, 256, 24, 64, 64, rngs=rngs)
        self.inception4d = Inception(512, 112, 144, 288, 32, 64, 64, rngs=rngs)
        self.inception4e = Inception(528, 256, 160, 320, 32, 128, 128, rngs=rngs)
        self.inception5a = Inception(832, 256, 160, 320, 32, 128, 128, rngs=rngs)
        self.inception5b = Inception(832, 384, 192, 384, 48, 128, 128, rngs=rngs)
        self.fc1 = nnx.Linear(9216, 1000, rngs=rngs)

    def __call__(self, x):
        x = nnx.max_pool(nnx.relu(self.conv1(x)), (3, 3), strides=(2, 2))
        x = nnx.relu(self.conv2(x))
        x = nnx.max_pool(nnx.relu(self.conv3(x)), (3, 3), strides=(2, 2))
        x = self.inception3a(x)
        x = nnx.max_pool(self.inception3b(x), (3, 3), strides=(2, 2))
        x = self.inception4a(x)
        x = self.inception4b(x)
        x = self.inception4c(x)
        x = self.inception4d(x)
        x = nnx.max_pool(self.inception4e(x), (3, 3), strides=(2, 2))
        x = self.inception5a(x)
        x = nnx.avg_pool(self.inception5b(x), (2, 2), strides=(2, 2))
        x = x.reshape(x.shape[0], -1)
        return self.fc1(x)


def network():
    return GoogLeNet(nnx.Rngs(0))


def loss_fn(net, x, y):
    return optax.softmax_cross_entropy_with_integer_labels(net(x), y).mean()


def learner(net):
    optimizer = nnx.Optimizer(net, optax.sgd(0.01), wrt=nnx.Param)
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
    """random-images-shaped synthetic samples: noise, and a pattern for each class.

    For real data pass a .npz file with x_train, y_train, x_test and y_test.
    """
    if len(sys.argv) > 1:
        with np.load(sys.argv[1]) as file:
            return [file[k] for k in ("x_train", "y_train", "x_test", "y_test")]
    rng = np.random.default_rng(0)
    x = rng.uniform(-1.0, 1.0, (384, 224, 224, 3)).astype("float32")
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
        print(f"epoch {epoch + 1}: loss {float(losses[-1]):.4f}")
    outputs = np.asarray(predict(net, x_test))
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
