"""Bidirectional LSTM on IMDB in TensorFlow, a step compiled by XLA."""

import sys

import keras
import numpy as np
import tensorflow as tf
from keras import layers


def network():
    inputs = keras.Input((256,), dtype="int64")
    x = layers.Embedding(20000, 64)(inputs)
    x = layers.Bidirectional(layers.LSTM(128, return_sequences=True))(x)
    x = layers.Bidirectional(layers.LSTM(128, return_sequences=True))(x)
    x = layers.concatenate([x[:, 0], x[:, -1]])
    outputs = layers.Dense(2)(x)
    return keras.Model(inputs, outputs)


class Adam(keras.optimizers.Adam):
    """Sums a token's gradients before squaring; Keras squares each one separately."""

    def update_step(self, gradient, variable, learning_rate):
        super().update_step(tf.convert_to_tensor(gradient), variable, learning_rate)


def learner(net):
    # Without from_logits the outputs would be taken for probabilities.
    loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    # Keras's own epsilon is 1e-7.
    optimizer = Adam(learning_rate=0.01, epsilon=1e-8)
    # Its variables must exist before the step is traced.
    optimizer.build(net.trainable_variables)

    @tf.function(jit_compile=True)
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = loss_fn(y, net(x, training=True))
        gradients = tape.gradient(loss, net.trainable_variables)
        optimizer.apply(gradients, net.trainable_variables)
        return loss

    return step


def batches(x, y, batch_size):
    samples = tf.data.Dataset.from_tensor_slices((x, y))
    return samples.batch(batch_size, drop_remainder=True).prefetch(tf.data.AUTOTUNE)


def train(learner, batches):
    # Tensors, not numbers: reading their values here would make every step wait.
    return [learner(x, y) for x, y in batches]


@tf.function(jit_compile=True)
def predict(net, x):
    return net(x, training=False)


def save(net, path):
    net.save(f"{path}.keras")


def load(path):
    return keras.models.load_model(f"{path}.keras")


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
