"""LeNet on MNIST in tinygrad, its step under TinyJit."""

import sys

import numpy as np
from tinygrad import Context, Tensor, TinyJit, nn


class LeNet:
    def __init__(self):
        self.conv1 = nn.Conv2d(1, 6, kernel_size=5)
        self.conv2 = nn.Conv2d(6, 16, kernel_size=3)
        self.fc1 = nn.Linear(400, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def __call__(self, x):
        x = self.conv1(x).relu().avg_pool2d(2)
        x = self.conv2(x).relu().avg_pool2d(2)
        x = x.flatten(1)
        x = self.fc1(x).relu()
        x = self.fc2(x).relu()
        return self.fc3(x)


def network():
    net = LeNet()
    # Evaluation is lazy, of initial weights too: compute them now.
    Tensor.realize(*nn.state.get_parameters(net))
    return net


def learner(net):
    optimizer = nn.optim.Adam(nn.state.get_parameters(net), lr=1e-3)

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
        print(f"epoch {epoch + 1}: loss {losses[-1].item():.4f}")
    outputs = predict(net, x_test).numpy()
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
