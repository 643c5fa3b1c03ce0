"""GoogLeNet on random images in tinygrad, its step under TinyJit."""

import sys

import numpy as np
from tinygrad import Context, Tensor, TinyJit, nn


class Inception:
    def __init__(self, in_channels, c1, r3, c3, r5, c5, pooled):
        self.conv1 = nn.Conv2d(in_channels, c1, kernel_size=1)
        self.conv2 = nn.Conv2d(in_channels, r3, kernel_size=1)
        self.conv3 = nn.Conv2d(r3, c3, kernel_size=3, padding=1)
        self.conv4 = nn.Conv2d(in_channels, r5, kernel_size=1)
        self.conv5 = nn.Conv2d(r5, c5, kernel_size=5, padding=2)
        self.conv6 = nn.Conv2d(in_channels, pooled, kernel_size=1)

    def __call__(self, x):
        branch1 = self.conv1(x).relu()
        branch2 = self.conv2(x).relu()
        branch2 = self.conv3(branch2).relu()
        branch3 = self.conv4(x).relu()
        branch3 = self.conv5(branch3).relu()
        branch4 = x.max_pool2d(3, stride=1, padding=1)
        branch4 = self.conv6(branch4).relu()
        return Tensor.cat(branch1, branch2, branch3, branch4, dim=1)


class GoogLeNet:
    def __init__(self):
        self.conv1 = nn.Conv2d(3, 64, kernel_size=7, stride=2, padding=3)
        self.conv2 = nn.Conv2d(64, 64, kernel_size=1)
        self.conv3 = nn.Conv2d(64, 192, kernel_size=3, padding=1)
        self.inception3a = Inception(192, 64, 96, 128, 16, 32, 32)
        self.inception3b = Inception(256, 128, 128, 192, 32, 96, 64)
        self.inception4a = Inception(480, 192, 96, 208, 16, 48, 64)
        self.inception4b = Inception(512, 160, 112, 224, 24, 64, 64)
        self.inception4c = Inception(512, 128, 128, 256, 24, 64, 64)
        self.inception4d = Inception(512, 112, 144, 288, 32, 64, 64)
        self.inception4e = Inception(528, 256, 160, 320, 32, 128, 128)
        self.inception5a = Inception(832, 256, 160, 320, 32, 128, 128)
        self.inception5b = Inception(832, 384, 192, 384, 48, 128, 128)
        self.fc1 = nn.Linear(9216, 1000)

    def __call__(self, x):
        x = self.conv1(x).relu().max_pool2d(3, stride=2)
        x = self.conv2(x).relu()
        x = self.conv3(x).relu().max_pool2d(3, stride=2)
        x = self.inception3a(x)
        x = self.inception3b(x).max_pool2d(3, stride=2)
        x = self.inception4a(x)
        x = self.inception4b(x)
        x = self.inception4c(x)
        x = self.inception4d(x)
        x = self.inception4e(x).max_pool2d(3, stride=2)
        x = self.inception5a(x)
        x = self.inception5b(x).avg_pool2d(2)
        x = x.flatten(1)
        return self.fc1(x)


def network():
    net = GoogLeNet()
    # Evaluation is lazy, of initial weights too: compute them now.
    Tensor.realize(*nn.state.get_parameters(net))
    return net


def learner(net):
    optimizer = nn.optim.SGD(nn.state.get_parameters(net), lr=0.01)

    @TinyJit
    @Context(TRAINING=1)
    def step(x, y):
        optimizer.zero_grad()
        loss = net(x).sparse_categorical_crossentropy(y)
        loss.backward()
        return loss.realize(*optimizer.schedule_step())

    return net, optimizer, step


def batches(x, y, batch_size):
    for i in range(0, len(x) - batch_size + 1, batch_size):
        yield Tensor(x[i : i + batch_size]), Tensor(y[i : i + batch_size])


def train(learner, batches):
    *_, step = learner
    # Every call of a captured step writes its loss to the same place: keep a copy.
    return [step(x, y).clone().realize() for x, y in batches]


def predict(net, x):
    return net(Tensor(x)).realize()


def save(net, path):
    nn.state.safe_save(nn.state.get_state_dict(net), path)


def load(path):
    net = network()
    nn.state.load_state_dict(net, nn.state.safe_load(path), verbose=False)
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
        print(f"epoch {epoch + 1}: loss {losses[-1].item():.4f}")
    outputs = predict(net, x_test).numpy()
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
