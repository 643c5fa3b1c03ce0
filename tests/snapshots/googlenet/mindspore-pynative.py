"""GoogLeNet on random images in MindSpore, PyNative mode."""

import sys

import mindspore as ms
import numpy as np
from mindspore import nn, ops
from mindspore.dataset import NumpySlicesDataset

ms.set_context(mode=ms.PYNATIVE_MODE)


class Inception(nn.Cell):
    def __init__(self, in_channels, c1, r3, c3, r5, c5, pooled):
        super().__init__()
        self.conv1 = nn.Conv2d(
            in_channels, c1, kernel_size=1, pad_mode="valid", has_bias=True
        )
        self.conv2 = nn.Conv2d(
            in_channels, r3, kernel_size=1, pad_mode="valid", has_bias=True
        )
        self.conv3 = nn.Conv2d(
            r3, c3, kernel_size=3, pad_mode="pad", padding=1, has_bias=True
        )
        self.conv4 = nn.Conv2d(
            in_channels, r5, kernel_size=1, pad_mode="valid", has_bias=True
        )
        self.conv5 = nn.Conv2d(
            r5, c5, kernel_size=5, pad_mode="pad", padding=2, has_bias=True
        )
        self.pool1 = nn.MaxPool2d(3, stride=1, pad_mode="pad", padding=1)
        self.conv6 = nn.Conv2d(
            in_channels, pooled, kernel_size=1, pad_mode="valid", has_bias=True
        )

    def construct(self, x):
        branch1 = ops.relu(self.conv1(x))
        branch2 = ops.relu(self.conv2(x))
        branch2 = ops.relu(self.conv3(branch2))
        branch3 = ops.relu(self.conv4(x))
        branch3 = ops.relu(self.conv5(branch3))
        branch4 = self.pool1(x)
        branch4 = ops.relu(self.conv6(branch4))
        return ops.cat([branch1, branch2, branch3, branch4], axis=1)


class GoogLeNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(
            3, 64, kernel_size=7, stride=2, pad_mode="pad", padding=3, has_bias=True
        )
        self.pool1 = nn.MaxPool2d(3, stride=2)
        self.conv2 = nn.Conv2d(64, 64, kernel_size=1, pad_mode="valid", has_bias=True)
        self.conv3 = nn.Conv2d(
            64, 192, kernel_size=3, pad_mode="pad", padding=1, has_bias=True
        )
        self.pool2 = nn.MaxPool2d(3, stride=2)
        self.inception3a = Inception(192, 64, 96, 128, 16, 32, 32)
        self.inception3b = Inception(256, 128, 128, 192, 32, 96, 64)
        self.pool3 = nn.MaxPool2d(3, stride=2)
        self.inception4a = Inception(480, 192, 96, 208, 16, 48, 64)
        self.inception4b = Inception(512, 160, 112, 224, 24, 64, 64)
        self.inception4c = Inception(512, 128, 128, 256, 24, 64, 64)
        self.inception4d = Inception(512, 112, 144, 288, 32, 64, 64)
        self.inception4e = Inception(528, 256, 160, 320, 32, 128, 128)
        self.pool4 = nn.MaxPool2d(3, stride=2)
        self.inception5a = Inception(832, 256, 160, 320, 32, 128, 128)
        self.inception5b = Inception(832, 384, 192, 384, 48, 128, 128)
        self.pool5 = nn.AvgPool2d(2, stride=2)
        self.fc1 = nn.Dense(9216, 1000)

    def construct(self, x):
        x = self.pool1(ops.relu(self.conv1(x)))
        x = ops.relu(self.conv2(x))
        x = self.pool2(ops.relu(self.conv3(x)))
        x = self.inception3a(x)
        x = self.pool3(self.inception3b(x))
        x = self.inception4a(x)
        x = self.inception4b(x)
        x = self.inception4c(x)
        x = self.inception4d(x)
        x = self.pool4(self.inception4e(x))
        x = self.inception5a(x)
        x = self.pool5(self.inception5b(x))
        x = ops.flatten(x)
        return self.fc1(x)


def network():
    return GoogLeNet()


def learner(net):
    optimizer = nn.SGD(net.trainable_params(), learning_rate=0.01)
    return nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer)


def batches(x, y, batch_size):
    y = y.astype("int32")  # the loss takes no others
    samples = NumpySlicesDataset((x, y), shuffle=False)
    return samples.batch(batch_size, drop_remainder=True)


def train(learner, batches):
    learner.set_train()
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
    """random-images-shaped synthetic samples: noise, and a pattern for each class.

    For real data pass a .npz file with x_train, y_train, x_test and y_test.
    """
    if len(sys.argv) > 1:
        with np.load(sys.argv[1]) as file:
            return [file[k] for k in ("x_train", "y_train", "x_test", "y_test")]
    rng = np.random.default_rng(0)
    x = rng.uniform(-1.0, 1.0, (384, 3, 224, 224)).astype("float32")
    y = rng.integers(0, 10, 384)
    # The first samples serve as patterns.
    x = (x + x[:10][y]) / 2
    return x[:256], y[:256], x[256:], y[256:]


if __name__ == "__main__":
    x, y, x_test, y_test = data()
    net = network()
    learn = learner(net)
    for epoch in range(1):
        order = np.random.default_rng(epoch).permutation(len(x))
        losses = train(learn, batches(x[order], y[order], 128))
        print(f"epoch {epoch + 1}: loss {float(losses[-1]):.4f}")
    outputs = predict(net, x_test).asnumpy()
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
