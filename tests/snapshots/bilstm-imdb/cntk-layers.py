"""Bidirectional LSTM on IMDB in CNTK, with its layers library."""

import sys

import cntk as C
import numpy as np


def embedding(vocabulary, features):
    # C.layers.Embedding reads one-hot vectors, and no Adam takes its sparse gradients
    # on the CPU.
    table = C.parameter((vocabulary, features), init=C.glorot_uniform(), name="E")
    return lambda tokens: C.gather(table, tokens)


def network():
    x = C.sequence.input_variable(())
    net = C.layers.Sequential(
        [
            embedding(20000, 64),
            (
                C.layers.Recurrence(C.layers.LSTM(128)),
                C.layers.Recurrence(C.layers.LSTM(128), go_backwards=True),
            ),
            C.splice,
            (
                C.layers.Recurrence(C.layers.LSTM(128)),
                C.layers.Recurrence(C.layers.LSTM(128), go_backwards=True),
            ),
            C.splice,
            (C.sequence.first, C.sequence.last),
            C.splice,
            C.layers.Dense(2),
        ]
    )
    return net(x)


def learner(net):
    x, y = net.arguments[0], C.input_variable(())
    loss = C.cross_entropy_with_softmax(net, C.one_hot(y, 2))
    # By default CNTK divides Adam's rate by the batch size.
    optimizer = C.adam(
        net.parameters,
        0.01,
        0.9,
        variance_momentum=0.999,
        minibatch_size=C.learners.IGNORE,
    )
    return C.Trainer(net, loss, optimizer), x, y


def batches(x, y, batch_size):
    for i in range(0, len(x) - batch_size + 1, batch_size):
        yield x[i : i + batch_size], y[i : i + batch_size]


def train(learner, batches):
    trainer, x, y = learner
    losses = []
    for samples, targets in batches:
        trainer.train_minibatch({x: samples, y: targets})
        losses.append(trainer.previous_minibatch_loss_average)
    return losses


def predict(net, x):
    return net.eval(x)


def save(net, path):
    net.save(path)


def load(path):
    return C.load_model(path)


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
    outputs = np.asarray(predict(net, x_test))
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
