"""The Rosetta Stone's CNN on CIFAR-10 in MindSpore, graph mode."""

import sys

import mindspore as ms
import numpy as np
from mindspore import nn, ops
from mindspore.dataset import NumpySlicesDataset

ms.set_context(mode=ms.GRAPH_MODE)


class CNN(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(
            3, 50, kernel_size=3, pad_mode="pad", padding=1, has_bias=True
        )
        self.conv2 = nn.Conv2d(
            50, 50, kernel_size=3, pad_mode="pad", padding=1, has_bias=True
        )
        self.pool1 = nn.MaxPool2d(2, stride=2)
        self.drop1 = nn.Dropout(p=0.25)
        self.conv3 = nn.Conv2d(
            50, 100, kernel_size=3, pad_mode="pad", padding=1, has_bias=True
        )
        self.conv4 = nn.Conv2d(
            100, 100, kernel_size=3, pad_mode="pad", padding=1, has_bias=True
        )
        self.pool2 = nn.MaxPool2d(2, stride=2)
        self.drop2 = nn.Dropout(p=0.25)
        self.fc1 = nn.Dense(6400, 512)
        self.drop3 = nn.Dropout(p=0.5)
        self.fc2 = nn.Dense(512, 10)

    def construct(self, x):
        x = ops.relu(self.conv1(x))
        x = self.drop1(ops.relu(self.pool1(self.conv2(x))))
        x = ops.relu(self.conv3(x))
        x = self.drop2(ops.relu(self.pool2(self.conv4(x))))
        x = ops.flatten(x)
        x = self.drop3(ops.relu(self.fc1(x)))
        return self.fc2(x)


def network():
    return CNN()


def learner(net):
    optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.01, momentum=0.9)
    return nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer)


def batches(x, y, batch_size):
    y = y.astype("int32")  # the loss takes no others
    samples = NumpySlicesDataset((x, y), shuffle=False)
    return samples.batch(batch_size, drop_remainder=True)


def train(learner, batches):
    learner.set_train()
    # The first call compiles: forward and backward pass and update.
    return [learner(x, y) for x, y in batches]


def predict(net, x):
    net.set_train(False)
    return net(ms.Tensor(x))


def save(net, path):
    ms.save_checkpoint(net, f"{path}.ckpt")


def load(path):
    net = network()
    ms.load_checkpoint(f"{path}.ckpt", net)
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
    outputs = predict(net, x_test).asnumpy()
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
