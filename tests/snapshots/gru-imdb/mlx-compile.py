"""GRU on IMDB in MLX, compiled."""

import sys
from functools import partial

import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim
import numpy as np


class TwoBiasGRU(nn.GRU):
    # MLX adds one bias to the gates r and z; this one has the state's too.
    def __init__(self, features, units):
        super().__init__(features, units)
        self.state_bias = mx.zeros(2 * units)

    def __call__(self, x):
        b = self.b
        self.b = b + mx.pad(self.state_bias, (0, self.hidden_size))
        states = super().__call__(x)
        self.b = b
        return states


class ReviewGRU(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed1 = nn.Embedding(30000, 125)
        self.gru1 = TwoBiasGRU(125, 100)
        self.fc1 = nn.Linear(100, 2)

    def __call__(self, x):
        x = self.embed1(x)
        x = self.gru1(x)[:, -1]
        return self.fc1(x)


def network():
    net = ReviewGRU()
    # Evaluation is lazy, of initial weights too: compute them now.
    mx.eval(net.parameters())
    return net


def loss_fn(net, x, y):
    return nn.losses.cross_entropy(net(x), y, reduction="mean")


def learner(net):
    optimizer = optim.Adam(learning_rate=1e-3, bias_correction=True)
    gradients = nn.value_and_grad(net, loss_fn)
    # All that a step reads and changes beside its arguments.
    state = [net.state, optimizer.state]

    @partial(mx.compile, inputs=state, outputs=state)
    def step(x, y):
        loss, grads = gradients(net, x, y)
        optimizer.update(net, grads)
        return loss

    return net, optimizer, step


def batches(x, y, batch_size):
    for i in range(0, len(x) - batch_size + 1, batch_size):
        yield mx.array(x[i : i + batch_size]), mx.array(y[i : i + batch_size])


def train(learner, batches):
    net, optimizer, step = learner
    net.train()
    losses = []
    for x, y in batches:
        loss = step(x, y)
        # The step is computed here, all at once.
        mx.eval(loss, net.state, optimizer.state)
        losses.append(loss)
    return losses


def predict(net, x):
    net.eval()
    return net(mx.array(x))


def save(net, path):
    net.save_weights(f"{path}.safetensors")


def load(path):
    net = network()
    net.load_weights(f"{path}.safetensors")
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
        print(f"epoch {epoch + 1}: loss {float(losses[-1]):.4f}")
    outputs = np.asarray(predict(net, x_test))
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
