"""The Rosetta Stone's CNN on CIFAR-10 in PyTorch, eager."""

import sys

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class CNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 50, kernel_size=3, padding=1)
        self.conv2 = nn.Conv2d(50, 50, kernel_size=3, padding=1)
        self.drop1 = nn.Dropout(0.25)
        self.conv3 = nn.Conv2d(50, 100, kernel_size=3, padding=1)
        self.conv4 = nn.Conv2d(100, 100, kernel_size=3, padding=1)
        self.drop2 = nn.Dropout(0.25)
        self.fc1 = nn.Linear(6400, 512)
        self.drop3 = nn.Dropout(0.5)
        self.fc2 = nn.Linear(512, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = self.drop1(F.relu(F.max_pool2d(self.conv2(x), 2)))
        x = F.relu(self.conv3(x))
        x = self.drop2(F.relu(F.max_pool2d(self.conv4(x), 2)))
        x = torch.flatten(x, 1)
        x = self.drop3(F.relu(self.fc1(x)))
        return self.fc2(x)


def network():
    return CNN()


def learner(net):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    return net, nn.CrossEntropyLoss(), optimizer


def batches(x, y, batch_size, workers=0):
    samples = TensorDataset(torch.from_numpy(x), torch.from_numpy(y))
    return DataLoader(samples, batch_size, drop_last=True, num_workers=workers)


def train(learner, batches):
    net, loss_fn, optimizer = learner
    net.train()
    losses = []
    for x, y in batches:
        optimizer.zero_grad()
        loss = loss_fn(net(x), y)
        loss.backward()
        optimizer.step()
        # Keep the tensor: reading its value here would make every step wait for it.
        losses.append(loss.detach())
    return losses


def predict(net, x):
    net.eval()
    with torch.inference_mode():
        return net(torch.from_numpy(x))


def save(net, path):
    torch.save(net.state_dict(), path)


def load(path):
    net = network()
    net.load_state_dict(torch.load(path, weights_only=True))
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
