"""GRU on IMDB in PaddlePaddle, static graph."""

import sys

import numpy as np
import paddle
from paddle import nn, static
from paddle.io import DataLoader, Dataset
from paddle.utils import unique_name

paddle.enable_static()
exe = static.Executor()


class ReviewGRU(nn.Layer):
    def __init__(self):
        super().__init__()
        self.embed1 = nn.Embedding(30000, 125)
        self.gru1 = nn.GRU(125, 100)
        self.fc1 = nn.Linear(100, 2)

    def forward(self, x):
        x = self.embed1(x)
        _, h = self.gru1(x)  # h: the state after the last step
        return self.fc1(h[-1])


def network():
    program, startup = static.Program(), static.Program()
    # Parameters live in the global scope by name: there is one network at a time.
    with static.program_guard(program, startup), unique_name.guard():
        x = static.data("x", [None, 150], "int64")
        net = ReviewGRU()
        net.eval()
        output = net(x)
    exe.run(startup)
    return program, output


def learner(net):
    loss_fn = nn.CrossEntropyLoss()
    optimizer = paddle.optimizer.Adam(1e-3)
    program, startup = static.Program(), static.Program()
    # Name counters restart, so these names are the network's parameters.
    with unique_name.guard():
        # They have their values: what would initialise them is dropped.
        with static.program_guard(program, static.Program()):
            x = static.data("x", [None, 150], "int64")
            y = static.data("y", [None], "int64")
            loss = loss_fn(ReviewGRU()(x), y)
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
    """imdb-shaped synthetic samples: noise, and a word for each class.

    For real data pass a .npz file with x_train, y_train, x_test and y_test.
    """
    if len(sys.argv) > 1:
        with np.load(sys.argv[1]) as file:
            return [file[k] for k in ("x_train", "y_train", "x_test", "y_test")]
    rng = np.random.default_rng(0)
    x = rng.integers(0, 30000, (1344, 150))
    y = rng.integers(0, 2, 1344)
    x = np.where(rng.random(x.shape) < 0.1, y[:, None] + 1, x)
    return x[:1280], y[:1280], x[1280:], y[1280:]


if __name__ == "__main__":
    x, y, x_test, y_test = data()
    net = network()
    learn = learner(net)
    for epoch in range(3):
        order = np.random.default_rng(epoch).permutation(len(x))
        losses = train(learn, batches(x[order], y[order], 64))
        print(f"epoch {epoch + 1}: loss {float(losses[-1]):.4f}")
    outputs = predict(net, x_test)
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
