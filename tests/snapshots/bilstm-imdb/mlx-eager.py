"""Bidirectional LSTM on IMDB in MLX, eager."""

import sys

import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim
import numpy as np


class Bidirectional(nn.Module):
    def __init__(self, ahead, back):
        super().__init__()
        self.ahead = ahead
        self.back = back

    def __call__(self, x):
        # Each direction's states, in the order in which it reads the sequence.
        return self.ahead(x), self.back(x[:, ::-1])


class ReviewBiLSTM(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed1 = nn.Embedding(20000, 64)
        self.lstm1 = Bidirectional(nn.LSTM(64, 128), nn.LSTM(64, 128))
        self.lstm2 = Bidirectional(nn.LSTM(256, 128), nn.LSTM(256, 128))
        self.fc1 = nn.Linear(512, 2)

    def __call__(self, x):
        x = self.embed1(x)
        (ahead, _), (back, _) = self.lstm1(x)
        x = mx.concatenate([ahead, back[:, ::-1]], axis=-1)
        (ahead, _), (back, _) = self.lstm2(x)
        x = mx.concatenate([ahead, back[:, ::-1]], axis=-1)
        x = mx.concatenate([x[:, 0], x[:, -1]], axis=-1)
        return self.fc1(x)


def network():
    net = ReviewBiLSTM()
    # Evaluation is lazy, of initial weights too: compute them now.
    mx.eval(net.parameters())
    return net


def loss_fn(net, x, y):
    return nn.losses.cross_entropy(net(x), y, reduction="mean")


def learner(net):
    optimizer = optim.Adam(learning_rate=0.01, bias_correction=True)
    return net, optimizer, nn.value_and_grad(net, loss_fn)


def batches(x, y, batch_size):
    for i in range(0, len(x) - batch_size + 1, batch_size):
        yield mx.array(x[i : i + batch_size]), mx.array(y[i : i + batch_size])


def train(learner, batches):
    net, optimizer, gradients = learner
    net.train()
    losses = []
    for x, y in batches:
        loss, grads = gradients(net, x, y)
        optimizer.update(net, grads)
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
    outputs = np.asarray(predict(net, x_test))
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
