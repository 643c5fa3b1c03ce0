"""The Rosetta Stone's CNN on CIFAR-10 in TensorFlow 1, a graph run by a Session."""

import sys
from collections import namedtuple

import numpy as np
import tensorflow as tf

Net = namedtuple("Net", ["session", "x", "training", "outputs", "saver"])


def network():
    with tf.Graph().as_default():
        # Height, width, channels: on the CPU TensorFlow trains channels last.
        inputs = tf.placeholder(tf.float32, [None, 32, 32, 3])
        training = tf.placeholder_with_default(False, [])
        x = tf.layers.conv2d(inputs, 50, 3, padding="same", activation=tf.nn.relu)
        x = tf.layers.conv2d(x, 50, 3, padding="same")
        x = tf.layers.max_pooling2d(x, 2, strides=2)
        x = tf.nn.relu(x)
        x = tf.layers.dropout(x, 0.25, training=training)
        x = tf.layers.conv2d(x, 100, 3, padding="same", activation=tf.nn.relu)
        x = tf.layers.conv2d(x, 100, 3, padding="same")
        x = tf.layers.max_pooling2d(x, 2, strides=2)
        x = tf.nn.relu(x)
        x = tf.layers.dropout(x, 0.25, training=training)
        x = tf.layers.flatten(x)
        x = tf.layers.dense(x, 512, activation=tf.nn.relu)
        x = tf.layers.dropout(x, 0.5, training=training)
        outputs = tf.layers.dense(x, 10)
        session = tf.Session()
        session.run(tf.global_variables_initializer())
        # Created before the optimiser, the saver covers the network's variables only.
        saver = tf.train.Saver()
        return Net(session, inputs, training, outputs, saver)


def learner(net):
    with net.session.graph.as_default():
        y = tf.placeholder(tf.int64, [None])
        loss = tf.losses.sparse_softmax_cross_entropy(y, net.outputs)
        optimizer = tf.train.MomentumOptimizer(0.01, 0.9)
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
        feed = {net.x: x_batch, y: y_batch, net.training: True}
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
    """cifar10-shaped synthetic samples: noise, and a pattern for each class.

    For real data pass a .npz file with x_train, y_train, x_test and y_test.
    """
    if len(sys.argv) > 1:
        with np.load(sys.argv[1]) as file:
            return [file[k] for k in ("x_train", "y_train", "x_test", "y_test")]
    rng = np.random.default_rng(0)
    x = rng.uniform(0.0, 1.0, (1344, 32, 32, 3)).astype("float32")
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
        print(f"epoch {epoch + 1}: loss {losses[-1]:.4f}")
    outputs = predict(net, x_test)
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
