"""GoogLeNet on random images in PyTorch, eager."""

import sys

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Inception(nn.Module):
    def __init__(self, in_channels, c1, r3, c3, r5, c5, pooled):
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, c1, kernel_size=1)
        self.conv2 = nn.Conv2d(in_channels, r3, kernel_size=1)
        self.conv3 = nn.Conv2d(r3, c3, kernel_size=3, padding=1)
        self.conv4 = nn.Conv2d(in_channels, r5, kernel_size=1)
        self.conv5 = nn.Conv2d(r5, c5, kernel_size=5, padding=2)
        self.conv6 = nn.Conv2d(in_channels, pooled, kernel_size=1)

    def forward(self, x):
        branch1 = F.relu(self.conv1(x))
        branch2 = F.relu(self.conv2(x))
        branch2 = F.relu(self.conv3(branch2))
        branch3 = F.relu(self.conv4(x))
        branch3 = F.relu(self.conv5(branch3))
        branch4 = F.max_pool2d(x, 3, stride=1, padding=1)
        branch4 = F.relu(self.conv6(branch4))
        return torch.cat([branch1, branch2, branch3, branch4], dim=1)


class GoogLeNet(nn.Module):
    def __init__(self):
        super().__init__()
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
        x = torch.flatten(x, 1)
        return self.fc1(x)


def network():
    return GoogLeNet()


def learner(net):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
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
    outputs = predict(net, x_test).numpy()
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
