"""LeNet on MNIST in PyTorch, compiled in NCHW."""

import sys

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, kernel_size=5)
        self.conv2 = nn.Conv2d(6, 16, kernel_size=3)
        self.fc1 = nn.Linear(400, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = F.avg_pool2d(F.relu(self.conv1(x)), 2)
        x = F.avg_pool2d(F.relu(self.conv2(x)), 2)
        x = torch.flatten(x, 1)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)


def network():
    net = LeNet()
    # Channels-last convolutions lose gradients in some compiled networks.
    net.compile(options={"layout_optimization": False})
    return net


def learner(net):
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
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
