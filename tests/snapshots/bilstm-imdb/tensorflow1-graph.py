"""Bidirectional LSTM on IMDB in TensorFlow 1, a graph run by a Session."""

import sys
from collections import namedtuple

import numpy as np
import tensorflow as tf

Net = namedtuple("Net", ["session", "x", "outputs", "saver"])


def network():
    with tf.Graph().as_default():
        inputs = tf.placeholder(tf.int64, [None, 256])
        table = tf.get_variable("embed1", [20000, 64])
        x = tf.nn.embedding_lookup(table, inputs)
        # By default TensorFlow adds 1 to the forget gate.
        cells = [tf.nn.rnn_cell.LSTMCell(128, forget_bias=0.0) for _ in range(2)]
        both, _ = tf.nn.bidirectional_dynamic_rnn(
            *cells, x, dtype=tf.float32, scope="lstm1"
        )
        x = tf.concat(both, 2)
        cells = [tf.nn.rnn_cell.LSTMCell(128, forget_bias=0.0) for _ in range(2)]
        both, _ = tf.nn.bidirectional_dynamic_rnn(
            *cells, x, dtype=tf.float32, scope="lstm2"
        )
        x = tf.concat(both, 2)
        x = tf.concat([x[:, 0], x[:, -1]], 1)
        outputs = tf.layers.dense(x, 2)
        session = tf.Session()
        session.run(tf.global_variables_initializer())
        # Created before the optimiser, the saver covers the network's variables only.
        saver = tf.train.Saver()
        return Net(session, inputs, outputs, saver)


def learner(net):
    with net.session.graph.as_default():
        y = tf.placeholder(tf.int64, [None])
        loss = tf.losses.sparse_softmax_cross_entropy(y, net.outputs)
        optimizer = tf.train.AdamOptimizer(0.01)
        step = optimizer.minimize(loss)
        # The optimiser's alone: the network's keep their values.
        net.session.run(tf.variables_initializer(optimizer.variables()))
    return net, y, loss, step


def batches(x, y, batch_size):
    for i in range(0, len(x) - batch_size + 1, batch_size):
        yield x[i : i + batch_size], y[i : i + batch_size]


def train(learner, batches):
    net, y, loss, step = learner
    losses = []
    for x_batch, y_batch in batches:
        feed = {net.x: x_batch, y: y_batch}
        value, _ = net.session.run([loss, step], feed)
        losses.append(value)
    return losses


def predict(net, x):
    return net.session.run(net.outputs, {net.x: x})


def save(net, path):
    net.saver.save(net.session, path, write_meta_graph=False)


def load(path):
    net = network()
    net.saver.restore(net.session, path)
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
