"""GoogLeNet on random images in PaddlePaddle, static graph."""

import sys

import numpy as np
import paddle
import paddle.nn.functional as F
from paddle import nn, static
from paddle.io import DataLoader, Dataset
from paddle.utils import unique_name

paddle.enable_static()
exe = static.Executor()


class Inception(nn.Layer):
    def __init__(self, in_channels, c1, r3, c3, r5, c5, pooled):
        super().__init__()
        self.conv1 = nn.Conv2D(in_channels, c1, kernel_size=1)
        self.conv2 = nn.Conv2D(in_channels, r3, kernel_size=1)
        self.conv3 = nn.Conv2D(r3, c3, kernel_size=3, padding=1)
        self.conv4 = nn.Conv2D(in_channels, r5, kernel_size=1)
        self.conv5 = nn.Conv2D(r5, c5, kernel_size=5, padding=2)
        self.conv6 = nn.Conv2D(in_channels, pooled, kernel_size=1)

    def forward(self, x):
        branch1 = F.relu(self.conv1(x))
        branch2 = F.relu(self.conv2(x))
        branch2 = F.relu(self.conv3(branch2))
        branch3 = F.relu(self.conv4(x))
        branch3 = F.relu(self.conv5(branch3))
        branch4 = F.max_pool2d(x, 3, stride=1, padding=1)
        branch4 = F.relu(self.conv6(branch4))
        return paddle.concat([branch1, branch2, branch3, branch4], axis=1)


class GoogLeNet(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2D(3, 64, kernel_size=7, stride=2, padding=3)
        self.conv2 = nn.Conv2D(64, 64, kernel_size=1)
        self.conv3 = nn.Conv2D(64, 192, kernel_size=3, padding=1)
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

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 3, stride=2)
        x = F.relu(self.conv2(x))
        x = F.max_pool2d(F.relu(self.conv3(x)), 3, stride=2)
        x = self.inception3a(x)
        x = F.max_pool2d(self.inception3b(x), 3, stride=2)
        x = self.inception4a(x)
        x = self.inception4b(x)
        x = self.inception4c(x)
        x = self.inception4d(x)
        x = F.max_pool2d(self.inception4e(x), 3, stride=2)
        x = self.inception5a(x)
        x = F.avg_pool2d(self.inception5b(x), 2)
        x = paddle.flatten(x, 1)
        return self.fc1(x)


def network():
    program, startup = static.Program(), static.Program()
    # Parameters live in the global scope by name: there is one network at a time.
    with static.program_guard(program, startup), unique_name.guard():
        x = static.data("x", [None, 3, 224, 224])
        net = GoogLeNet()
        net.eval()
        output = net(x)
    exe.run(startup)
    return program, output


def learner(net):
    loss_fn = nn.CrossEntropyLoss()
    optimizer = paddle.optimizer.SGD(0.01)
    program, startup = static.Program(), static.Program()
    # Name counters restart, so these names are the network's parameters.
    with unique_name.guard():
        # They have their values: what would initialise them is dropped.
        with static.program_guard(program, static.Program()):
            x = static.data("x", [None, 3, 224, 224])
            y = static.data("y", [None], "int64")
            loss = loss_fn(GoogLeNet()(x), y)
        with static.program_guard(program, startup):
            optimizer.minimize(loss)
    exe.run(startup)
    return program, loss


class Samples(Dataset):
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __getitem__(self, i):
        return self.x[i], self.y[i]

    def __len__(self):
        return len(self.x)


def batches(x, y, batch_size, workers=0):
    samples = Samples(x, y)
    return DataLoader(
        samples, batch_size=batch_size, drop_last=True, num_workers=workers
    )


def train(learner, batches):
    program, loss = learner
    losses = []
    for x, y in batches:
        losses += exe.run(program, feed={"x": x, "y": y}, fetch_list=[loss])
    return losses


def predict(net, x):
    program, output = net
    return exe.run(program, feed={"x": x}, fetch_list=[output])[0]


def save(net, path):
    program, _ = net
    static.save(program, path)


def load(path):
    net = network()
    program, _ = net
    static.load(program, path)
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
        print(f"epoch {epoch + 1}: loss {float(losses[-1]):.4f}")
    outputs = predict(net, x_test)
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
