"""The Rosetta Stone's CNN on CIFAR-10 in PaddlePaddle, dynamic graph."""

import sys

import numpy as np
import paddle
import paddle.nn.functional as F
from paddle import nn
from paddle.io import DataLoader, Dataset


class CNN(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2D(3, 50, kernel_size=3, padding=1)
        self.conv2 = nn.Conv2D(50, 50, kernel_size=3, padding=1)
        self.drop1 = nn.Dropout(0.25)
        self.conv3 = nn.Conv2D(50, 100, kernel_size=3, padding=1)
        self.conv4 = nn.Conv2D(100, 100, kernel_size=3, padding=1)
        self.drop2 = nn.Dropout(0.25)
        self.fc1 = nn.Linear(6400, 512)
        self.drop3 = nn.Dropout(0.5)
        self.fc2 = nn.Linear(512, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = self.drop1(F.relu(F.max_pool2d(self.conv2(x), 2)))
        x = F.relu(self.conv3(x))
        x = self.drop2(F.relu(F.max_pool2d(self.conv4(x), 2)))
        x = paddle.flatten(x, 1)
        x = self.drop3(F.relu(self.fc1(x)))
        return self.fc2(x)


def network():
    return CNN()


def learner(net):
    loss_fn = nn.CrossEntropyLoss()
    optimizer = paddle.optimizer.Momentum(0.01, parameters=net.parameters())
    return net, loss_fn, optimizer


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
    net, loss_fn, optimizer = learner
    net.train()
    losses = []
    for x, y in batches:
        loss = loss_fn(net(x), y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        # Keep the tensor: reading its value here would make every step wait for it.
        losses.append(loss.detach())
    return losses


def predict(net, x):
    net.eval()
    with paddle.no_grad():
        return net(paddle.to_tensor(x))


def save(net, path):
    paddle.save(net.state_dict(), path)


def load(path):
    net = network()
    net.set_state_dict(paddle.load(path))
    return net


def data():
    """cifar10-shaped synthetic samples: noise, and a pattern for each class.

    For real data pass a .npz file with x_train, y_train, x_test and y_test.
    """
    if len(sys.argv) > 1:
        with np.load(sys.argv[1]) as file:
            return [file[k] for k in ("x_train", "y_train", "x_test", "y_test")]
    rng = np.random.default_rng(0)
    x = rng.uniform(0.0, 1.0, (1344, 3, 32, 32)).astype("float32")
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
    outputs = predict(net, x_test).numpy()
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
