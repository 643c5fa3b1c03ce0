"""Bidirectional LSTM on IMDB in tinygrad, its step under TinyJit."""

import sys

import numpy as np
from tinygrad import Context, Tensor, TinyJit, nn


class LSTM:
    def __init__(self, features, units):
        self.cell = nn.LSTMCell(features, units)
        self.cell.bias_hh = None  # one bias is enough for both sides

    def __call__(self, x):
        states, state = [], None
        for t in range(x.shape[1]):
            state = self.cell(x[:, t], state)
            states.append(state[0])
        return Tensor.stack(*states, dim=1)


class Bidirectional:
    def __init__(self, ahead, back):
        self.ahead = ahead
        self.back = back

    def __call__(self, x):
        # The states of each, in the order in which it reads.
        return self.ahead(x), self.back(x.flip(1))


class ReviewBiLSTM:
    def __init__(self):
        self.embed1 = nn.Embedding(20000, 64)
        self.lstm1 = Bidirectional(LSTM(64, 128), LSTM(64, 128))
        self.lstm2 = Bidirectional(LSTM(256, 128), LSTM(256, 128))
        self.fc1 = nn.Linear(512, 2)

    def __call__(self, x):
        x = self.embed1(x)
        ahead, back = self.lstm1(x)
        x = Tensor.cat(ahead, back.flip(1), dim=2)
        ahead, back = self.lstm2(x)
        x = Tensor.cat(ahead, back.flip(1), dim=2)
        x = Tensor.cat(x[:, 0], x[:, -1], dim=1)
        return self.fc1(x)


def network():
    net = ReviewBiLSTM()
    # Nothing is computed until it is asked for, initial weights neither.
    Tensor.realize(*nn.state.get_parameters(net))
    return net


def learner(net):
    optimizer = nn.optim.Adam(nn.state.get_parameters(net), lr=0.01)

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
    """imdb-shaped synthetic samples, labelled by a random linear rule.

    For real data pass a .npz file with x_train, y_train, x_test and y_test.
    """
    if len(sys.argv) > 1:
        with np.load(sys.argv[1]) as file:
            return [file[k] for k in ("x_train", "y_train", "x_test", "y_test")]
    rng = np.random.default_rng(0)
    x = rng.integers(0, 20000, (5376, 256))
    rule = rng.standard_normal((20000, 2), dtype="float32")
    y = np.stack([rule[text].sum(0) for text in x]).argmax(1)
    return x[:5120], y[:5120], x[5120:], y[5120:]


if __name__ == "__main__":
    x, y, x_test, y_test = data()
    net = network()
    learn = learner(net)
    for epoch in range(3):
        order = np.random.default_rng(epoch).permutation(len(x))
        losses = train(learn, batches(x[order], y[order], 256))
        print(f"epoch {epoch + 1}: loss {losses[-1].item():.4f}")
    outputs = predict(net, x_test).numpy()
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
