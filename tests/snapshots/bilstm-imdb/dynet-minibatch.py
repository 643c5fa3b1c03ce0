"""Bidirectional LSTM on IMDB in DyNet, in explicit minibatches."""

import sys

import dynet as dy
import numpy as np


def lstm(*sizes):
    return dy.VanillaLSTMBuilder(*sizes, forget_bias=0.0)  # the default is 1


class ReviewBiLSTM:
    def __init__(self, pc):
        self.pc = pc
        self.embed1 = pc.add_lookup_parameters((20000, 64))
        self.lstm1 = dy.BiRNNBuilder(1, 64, 256, pc, lstm)
        self.lstm2 = dy.BiRNNBuilder(1, 256, 256, pc, lstm)
        self.fc1 = pc.add_parameters(2), pc.add_parameters((2, 512))

    def __call__(self, x):
        x = [dy.lookup_batch(self.embed1, step) for step in x.T]
        x = self.lstm1.transduce(x)
        x = self.lstm2.transduce(x)
        x = dy.concatenate([x[0], x[-1]])
        return dy.affine_transform([*self.fc1, x])


def network():
    return ReviewBiLSTM(dy.ParameterCollection())


def loss_fn(outputs, y):
    return dy.mean_batches(dy.pickneglogsoftmax_batch(outputs, y))


def learner(net):
    trainer = dy.AdamTrainer(net.pc, 0.01, beta_1=0.9, beta_2=0.999, eps=1e-8)
    trainer.set_sparse_updates(False)  # rows no batch asked for move on too
    trainer.set_clip_threshold(-1)  # gradients are by default clipped at 5
    return net, loss_fn, trainer


def batches(x, y, batch_size):
    for i in range(0, len(x) - batch_size + 1, batch_size):
        yield x[i : i + batch_size], y[i : i + batch_size]


def train(learner, batches):
    net, loss_fn, trainer = learner
    losses = []
    for x, y in batches:
        dy.renew_cg()
        loss = loss_fn(net(x), y)
        losses.append(loss.value())  # runs the graph
        loss.backward()
        trainer.update()
    return losses


def predict(net, x):
    dy.renew_cg()
    return net(x).npvalue().T.reshape(len(x), 2)


def save(net, path):
    net.pc.save(path)


def load(path):
    net = network()
    net.pc.populate(path)
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
        print(f"epoch {epoch + 1}: loss {losses[-1]:.4f}")
    outputs = predict(net, x_test)
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
