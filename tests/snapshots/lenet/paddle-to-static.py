"""LeNet on MNIST in PaddlePaddle, dynamic graph turned static."""

import sys

import numpy as np
import paddle
import paddle.nn.functional as F
from paddle import nn
from paddle.io import DataLoader, Dataset


class LeNet(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2D(1, 6, kernel_size=5)
        self.conv2 = nn.Conv2D(6, 16, kernel_size=3)
        self.fc1 = nn.Linear(400, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = F.avg_pool2d(F.relu(self.conv1(x)), 2)
        x = F.avg_pool2d(F.relu(self.conv2(x)), 2)
        x = paddle.flatten(x, 1)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)


def network():
    # Traced into a graph at the first call, once for training and once for prediction.
    return paddle.jit.to_static(LeNet())


def learner(net):
    loss_fn = nn.CrossEntropyLoss()
    optimizer = paddle.optimizer.Adam(1e-3, parameters=net.parameters())
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
    """mnist-shaped synthetic samples: noise, and a pattern for each class.

    For real data pass a .npz file with x_train, y_train, x_test and y_test.
    """
    if len(sys.argv) > 1:
        with np.load(sys.argv[1]) as file:
            return [file[k] for k in ("x_train", "y_train", "x_test", "y_test")]
    rng = np.random.default_rng(0)
    x = rng.uniform(0.0, 255.0, (4200, 1, 28, 28)).astype("float32")
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
    outputs = predict(net, x_test).numpy()
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
