"""GoogLeNet on random images in TensorFlow 1, a graph run by a Session."""

import sys
from collections import namedtuple

import numpy as np
import tensorflow as tf

Net = namedtuple("Net", ["session", "x", "outputs", "saver"])


def inception(x, c1, r3, c3, r5, c5, pooled):
    branch1 = tf.layers.conv2d(x, c1, 1, activation=tf.nn.relu)
    branch2 = tf.layers.conv2d(x, r3, 1, activation=tf.nn.relu)
    branch2 = tf.layers.conv2d(branch2, c3, 3, padding="same", activation=tf.nn.relu)
    branch3 = tf.layers.conv2d(x, r5, 1, activation=tf.nn.relu)
    branch3 = tf.layers.conv2d(branch3, c5, 5, padding="same", activation=tf.nn.relu)
    branch4 = tf.layers.max_pooling2d(x, 3, strides=1, padding="same")
    branch4 = tf.layers.conv2d(branch4, pooled, 1, activation=tf.nn.relu)
    return tf.concat([branch1, branch2, branch3, branch4], 3)


def network():
    with tf.Graph().as_default():
        # Height, width, channels: on the CPU TensorFlow trains channels last.
        inputs = tf.placeholder(tf.float32, [None, 224, 224, 3])
        # With strides "same" would pad the bottom and right first.
        x = tf.pad(inputs, [[0, 0], [3, 3], [3, 3], [0, 0]])
        x = tf.layers.conv2d(x, 64, 7, strides=2, activation=tf.nn.relu)
        x = tf.layers.max_pooling2d(x, 3, strides=2)
        x = tf.layers.conv2d(x, 64, 1, activation=tf.nn.relu)
        x = tf.layers.conv2d(x, 192, 3, padding="same", activation=tf.nn.relu)
        x = tf.layers.max_pooling2d(x, 3, strides=2)
        x = inception(x, 64, 96, 128, 16, 32, 32)
        x = inception(x, 128, 128, 192, 32, 96, 64)
        x = tf.layers.max_pooling2d(x, 3, strides=2)
        x = inception(x, 192, 96, 208, 16, 48, 64)
        x = inception(x, 160, 112, 224, 24, 64, 64)
        x = inception(x, 128, 128, 256, 24, 64, 64)
        x = inception(x, 112, 144, 288, 32, 64, 64)
        x = inception(x, 256, 160, 320, 32, 128, 128)
        x = tf.layers.max_pooling2d(x, 3, strides=2)
        x = inception(x, 256, 160, 320, 32, 128, 128)
        x = inception(x, 384, 192, 384, 48, 128, 128)
        x = tf.layers.average_pooling2d(x, 2, strides=2)
        x = tf.layers.flatten(x)
        outputs = tf.layers.dense(x, 1000)
        session = tf.Session()
        session.run(tf.global_variables_initializer())
        # Created before the optimiser, the saver covers the network's variables only.
        saver = tf.train.Saver()
        return Net(session, inputs, outputs, saver)


def learner(net):
    with net.session.graph.as_default():
        y = tf.placeholder(tf.int64, [None])
        loss = tf.losses.sparse_softmax_cross_entropy(y, net.outputs)
        optimizer = tf.train.GradientDescentOptimizer(0.01)
        step = optimizer.minimize(loss)
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
    """random-images-shaped synthetic samples: noise, and a pattern for each class.

    For real data pass a .npz file with x_train, y_train, x_test and y_test.
    """
    if len(sys.argv) > 1:
        with np.load(sys.argv[1]) as file:
            return [file[k] for k in ("x_train", "y_train", "x_test", "y_test")]
    rng = np.random.default_rng(0)
    x = rng.uniform(-1.0, 1.0, (384, 224, 224, 3)).astype("float32")
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
        print(f"epoch {epoch + 1}: loss {losses[-1]:.4f}")
    outputs = predict(net, x_test)
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
