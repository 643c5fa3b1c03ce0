"""GRU on IMDB in MindSpore, PyNative mode."""

import sys

import mindspore as ms
import numpy as np
from mindspore import nn
from mindspore.dataset import NumpySlicesDataset

ms.set_context(mode=ms.PYNATIVE_MODE)


class ReviewGRU(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embed1 = nn.Embedding(30000, 125)
        self.gru1 = nn.GRU(125, 100, batch_first=True)
        self.fc1 = nn.Dense(100, 2)

    def construct(self, x):
        x = self.embed1(x)
        _, h = self.gru1(x)  # h: the state after the last step
        return self.fc1(h[-1])


def network():
    return ReviewGRU()


def learner(net):
    optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-3)
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
    outputs = predict(net, x_test).asnumpy()
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
