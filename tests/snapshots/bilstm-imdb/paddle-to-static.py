"""Bidirectional LSTM on IMDB in PaddlePaddle, dynamic graph turned static."""

import sys

import numpy as np
import paddle
from paddle import nn
from paddle.io import DataLoader, Dataset

# Paddle adds two biases to every gate; the second stays at zero.
ZERO = paddle.ParamAttr(initializer=nn.initializer.Constant(0.0), learning_rate=0.0)


class ReviewBiLSTM(nn.Layer):
    def __init__(self):
        super().__init__()
        self.embed1 = nn.Embedding(20000, 64)
        self.lstm1 = nn.LSTM(64, 128, direction="bidirect", bias_hh_attr=ZERO)
        self.lstm2 = nn.LSTM(256, 128, direction="bidirect", bias_hh_attr=ZERO)
        self.fc1 = nn.Linear(512, 2)

    def forward(self, x):
        x = self.embed1(x)
        x, _ = self.lstm1(x)
        x, _ = self.lstm2(x)
        x = paddle.concat([x[:, 0], x[:, -1]], axis=1)
        return self.fc1(x)


def network():
    # Traced into a graph at the first call, once for training and once for prediction.
    return paddle.jit.to_static(ReviewBiLSTM())


def learner(net):
    loss_fn = nn.CrossEntropyLoss()
    optimizer = paddle.optimizer.Adam(0.01, parameters=net.parameters())
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
