"""The Rosetta Stone's CNN on CIFAR-10 in MLX, compiled."""

import sys
from functools import partial

import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim
import numpy as np


# Images are height × width × channels.
class CNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 50, kernel_size=3, padding=1)
        self.conv2 = nn.Conv2d(50, 50, kernel_size=3, padding=1)
        self.pool1 = nn.MaxPool2d(2)
        self.drop1 = nn.Dropout(0.25)
        self.conv3 = nn.Conv2d(50, 100, kernel_size=3, padding=1)
        self.conv4 = nn.Conv2d(100, 100, kernel_size=3, padding=1)
        self.pool2 = nn.MaxPool2d(2)
        self.drop2 = nn.Dropout(0.25)
        self.fc1 = nn.Linear(6400, 512)
        self.drop3 = nn.Dropout(0.5)
        self.fc2 = nn.Linear(512, 10)

    def __call__(self, x):
        x = nn.relu(self.conv1(x))
        x = self.drop1(nn.relu(self.pool1(self.conv2(x))))
        x = nn.relu(self.conv3(x))
        x = self.drop2(nn.relu(self.pool2(self.conv4(x))))
        x = mx.flatten(x, start_axis=1)
        x = self.drop3(nn.relu(self.fc1(x)))
        return self.fc2(x)


def network():
    net = CNN()
    # Evaluation is lazy, of initial weights too: compute them now.
    mx.eval(net.parameters())
    return net


def loss_fn(net, x, y):
    return nn.losses.cross_entropy(net(x), y, reduction="mean")


def learner(net):
    optimizer = optim.SGD(learning_rate=0.01, momentum=0.9)
    gradients = nn.value_and_grad(net, loss_fn)
    # All that a step reads and changes beside its arguments, randomness too.
    state = [net.state, optimizer.state, mx.random.state]

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
    """cifar10-shaped synthetic samples: noise, and a pattern for each class.

    For real data pass a .npz file with x_train, y_train, x_test and y_test.
    """
    if len(sys.argv) > 1:
        with np.load(sys.argv[1]) as file:
            return [file[k] for k in ("x_train", "y_train", "x_test", "y_test")]
    rng = np.random.default_rng(0)
    x = rng.uniform(0.0, 1.0, (1344, 32, 32, 3)).astype("float32")
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
        print(f"epoch {epoch + 1}: loss {float(losses[-1]):.4f}")
    outputs = np.asarray(predict(net, x_test))
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
