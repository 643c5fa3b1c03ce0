"""Bidirectional LSTM on IMDB in PyTorch, compiled."""

import sys

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def one_bias(rnn):
    # PyTorch adds two biases to every gate; the second stays at zero here, untrained.
    for name, weight in rnn.named_parameters():
        if name.startswith("bias_hh"):
            nn.init.zeros_(weight).requires_grad_(False)
    return rnn


class ReviewBiLSTM(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed1 = nn.Embedding(20000, 64)
        self.lstm1 = one_bias(nn.LSTM(64, 128, batch_first=True, bidirectional=True))
        self.lstm2 = one_bias(nn.LSTM(256, 128, batch_first=True, bidirectional=True))
        self.fc1 = nn.Linear(512, 2)

    def forward(self, x):
        x = self.embed1(x)
        x, _ = self.lstm1(x)
        x, _ = self.lstm2(x)
        x = torch.cat([x[:, 0], x[:, -1]], dim=1)
        return self.fc1(x)


def network():
    net = ReviewBiLSTM()
    # The first call compiles what forward does before its first recurrent layer;
    # that layer and everything after it run uncompiled.
    net.compile()
    return net


def learner(net):
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
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
    """imdb-shaped synthetic samples: noise, and a word for each class.

    For real data pass a .npz file with x_train, y_train, x_test and y_test.
    """
    if len(sys.argv) > 1:
        with np.load(sys.argv[1]) as file:
            return [file[k] for k in ("x_train", "y_train", "x_test", "y_test")]
    rng = np.random.default_rng(0)
    x = rng.integers(0, 20000, (5376, 256))
    y = rng.integers(0, 2, 5376)
    x = np.where(rng.random(x.shape) < 0.1, y[:, None] + 1, x)
    return x[:5120], y[:5120], x[5120:], y[5120:]


if __name__ == "__main__":
    x, y, x_test, y_test = data()
    net = network()
    learn = learner(net)
    for epoch in range(3):
        order = np.random.default_rng(epoch).permutation(len(x))
        losses = train(learn, batches(x[order], y[order], 256))
        print(f"epoch {epoch + 1}: loss {float(losses[-1]):.4f}")
    outputs = predict(net, x_test).numpy()
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
