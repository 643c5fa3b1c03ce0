"""LeNet on MNIST in MindSpore, graph mode."""

import sys

import mindspore as ms
import numpy as np
from mindspore import nn, ops
from mindspore.dataset import NumpySlicesDataset

ms.set_context(mode=ms.GRAPH_MODE)


class LeNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, kernel_size=5, pad_mode="valid", has_bias=True)
        self.pool1 = nn.AvgPool2d(2, stride=2)
        self.conv2 = nn.Conv2d(6, 16, kernel_size=3, pad_mode="valid", has_bias=True)
        self.pool2 = nn.AvgPool2d(2, stride=2)
        self.fc1 = nn.Dense(400, 120)
        self.fc2 = nn.Dense(120, 84)
        self.fc3 = nn.Dense(84, 10)

    def construct(self, x):
        x = self.pool1(ops.relu(self.conv1(x)))
        x = self.pool2(ops.relu(self.conv2(x)))
        x = ops.flatten(x)
        x = ops.relu(self.fc1(x))
        x = ops.relu(self.fc2(x))
        return self.fc3(x)


def network():
    return LeNet()


def learner(net):
    optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-3)
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
    outputs = predict(net, x_test).asnumpy()
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
