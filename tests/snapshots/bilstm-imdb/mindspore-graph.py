"""Bidirectional LSTM on IMDB in MindSpore, graph mode."""

import sys

import mindspore as ms
import numpy as np
from mindspore import nn, ops
from mindspore.dataset import NumpySlicesDataset

ms.set_context(mode=ms.GRAPH_MODE)


def one_bias(rnn):
    # MindSpore adds two biases to every gate; the second stays at zero here, untrained.
    for bias in rnn.b_hh_list:
        bias.set_data(ms.Tensor(np.zeros(bias.shape, "float32")))
        bias.requires_grad = False
    return rnn


class ReviewBiLSTM(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embed1 = nn.Embedding(20000, 64)
        self.lstm1 = one_bias(nn.LSTM(64, 128, batch_first=True, bidirectional=True))
        self.lstm2 = one_bias(nn.LSTM(256, 128, batch_first=True, bidirectional=True))
        self.fc1 = nn.Dense(512, 2)

    def construct(self, x):
        x = self.embed1(x)
        x, _ = self.lstm1(x)
        x, _ = self.lstm2(x)
        x = ops.cat([x[:, 0], x[:, -1]], axis=1)
        return self.fc1(x)


def network():
    return ReviewBiLSTM()


def learner(net):
    optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)
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
    outputs = predict(net, x_test).asnumpy()
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
