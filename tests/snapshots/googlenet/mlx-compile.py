"""GoogLeNet on random images in MLX, compiled."""

import sys
from functools import partial

import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim
import numpy as np


# Images are height × width × channels.
class Inception(nn.Module):
    def __init__(self, in_channels, c1, r3, c3, r5, c5, pooled):
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, c1, kernel_size=1)
        self.conv2 = nn.Conv2d(in_channels, r3, kernel_size=1)
        self.conv3 = nn.Conv2d(r3, c3, kernel_size=3, padding=1)
        self.conv4 = nn.Conv2d(in_channels, r5, kernel_size=1)
        self.conv5 = nn.Conv2d(r5, c5, kernel_size=5, padding=2)
        self.pool1 = nn.MaxPool2d(3, stride=1, padding=1)
        self.conv6 = nn.Conv2d(in_channels, pooled, kernel_size=1)

    def __call__(self, x):
        branch1 = nn.relu(self.conv1(x))
        branch2 = nn.relu(self.conv2(x))
        branch2 = nn.relu(self.conv3(branch2))
        branch3 = nn.relu(self.conv4(x))
        branch3 = nn.relu(self.conv5(branch3))
        branch4 = self.pool1(x)
        branch4 = nn.relu(self.conv6(branch4))
        return mx.concatenate([branch1, branch2, branch3, branch4], axis=-1)


class GoogLeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, kernel_size=7, stride=2, padding=3)
        self.pool1 = nn.MaxPool2d(3, stride=2)
        self.conv2 = nn.Conv2d(64, 64, kernel_size=1)
        self.conv3 = nn.Conv2d(64, 192, kernel_size=3, padding=1)
        self.pool2 = nn.MaxPool2d(3, stride=2)
        self.inception3a = Inception(192, 64, 96, 128, 16, 32, 32)
        self.inception3b = Inception(256, 128, 128, 192, 32, 96, 64)
        self.pool3 = nn.MaxPool2d(3, stride=2)
        self.inception4a = Inception(480, 192, 96, 208, 16, 48, 64)
        self.inception4b = Inception(512, 160, 112, 224, 24, 64, 64)
        self.inception4c = Inception(512, 128, 128, 256, 24, 64, 64)
        self.inception4d = Inception(512, 112, 144, 288, 32, 64, 64)
        self.inception4e = Inception(528, 256, 160, 320, 32, 128, 128)
        self.pool4 = nn.MaxPool2d(3, stride=2)
        self.inception5a = Inception(832, 256, 160, 320, 32, 128, 128)
        self.inception5b = Inception(832, 384, 192, 384, 48, 128, 128)
        self.pool5 = nn.AvgPool2d(2)
        self.fc1 = nn.Linear(9216, 1000)

    def __call__(self, x):
        x = self.pool1(nn.relu(self.conv1(x)))
        x = nn.relu(self.conv2(x))
        x = self.pool2(nn.relu(self.conv3(x)))
        x = self.inception3a(x)
        x = self.pool3(self.inception3b(x))
        x = self.inception4a(x)
        x = self.inception4b(x)
        x = self.inception4c(x)
        x = self.inception4d(x)
        x = self.pool4(self.inception4e(x))
        x = self.inception5a(x)
        x = self.pool5(self.inception5b(x))
        x = mx.flatten(x, start_axis=1)
        return self.fc1(x)


def network():
    net = GoogLeNet()
    # Evaluation is lazy, of initial weights too: compute them now.
    mx.eval(net.parameters())
    return net


def loss_fn(net, x, y):
    return nn.losses.cross_entropy(net(x), y, reduction="mean")


def learner(net):
    optimizer = optim.SGD(learning_rate=0.01)
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
