"""The Rosetta Stone's CNN on CIFAR-10 in tinygrad, its step under TinyJit."""

import sys

import numpy as np
from tinygrad import Context, Tensor, TinyJit, nn


class CNN:
    def __init__(self):
        self.conv1 = nn.Conv2d(3, 50, kernel_size=3, padding=1)
        self.conv2 = nn.Conv2d(50, 50, kernel_size=3, padding=1)
        self.conv3 = nn.Conv2d(50, 100, kernel_size=3, padding=1)
        self.conv4 = nn.Conv2d(100, 100, kernel_size=3, padding=1)
        self.fc1 = nn.Linear(6400, 512)
        self.fc2 = nn.Linear(512, 10)

    def __call__(self, x):
        x = self.conv1(x).relu()
        x = self.conv2(x).max_pool2d(2).relu().dropout(0.25)
        x = self.conv3(x).relu()
        x = self.conv4(x).max_pool2d(2).relu().dropout(0.25)
        x = x.flatten(1)
        x = self.fc1(x).relu().dropout(0.5)
        return self.fc2(x)


def network():
    net = CNN()
    # Evaluation is lazy, of initial weights too: compute them now.
    Tensor.realize(*nn.state.get_parameters(net))
    return net


def learner(net):
    optimizer = nn.optim.SGD(nn.state.get_parameters(net), lr=0.01, momentum=0.9)

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
        print(f"epoch {epoch + 1}: loss {losses[-1].item():.4f}")
    outputs = predict(net, x_test).numpy()
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
