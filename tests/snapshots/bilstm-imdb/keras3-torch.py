"""Bidirectional LSTM on IMDB in Keras 3 on PyTorch."""

import os
import sys

# Keras chooses its backend when it is imported.
os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np
from keras import layers


def network():
    inputs = keras.Input((256,), dtype="int64")
    x = layers.Embedding(20000, 64)(inputs)
    x = layers.Bidirectional(layers.LSTM(128, return_sequences=True))(x)
    x = layers.Bidirectional(layers.LSTM(128, return_sequences=True))(x)
    x = layers.concatenate([x[:, 0], x[:, -1]])
    outputs = layers.Dense(2)(x)
    return keras.Model(inputs, outputs)


def learner(net):
    # Without from_logits the outputs would be taken for probabilities.
    loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    # Keras's own epsilon is 1e-7.
    optimizer = keras.optimizers.Adam(learning_rate=0.01, epsilon=1e-8)
    net.compile(optimizer, loss_fn)
    return net


class Batches(keras.utils.PyDataset):
    def __init__(self, x, y, batch_size):
        # No prefetch thread: slicing an array needs none.
        super().__init__(workers=0)
        self.x, self.y, self.batch_size = x, y, batch_size

    def __len__(self):
        # An incomplete last batch is left out.
        return len(self.x) // self.batch_size

    def __getitem__(self, i):
        rows = slice(i * self.batch_size, (i + 1) * self.batch_size)
        return self.x[rows], self.y[rows]


def batches(x, y, batch_size):
    return Batches(x, y, batch_size)


def train(learner, batches):
    # fit returns one loss per call: the mean over its batches.
    return learner.fit(batches, shuffle=False, verbose=0).history["loss"]


def predict(net, x):
    # By default Keras predicts in batches of 32.
    return net.predict(x, batch_size=len(x), verbose=0)


def save(net, path):
    # A compiled net is saved with its optimiser's state.
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
        print(f"epoch {epoch + 1}: loss {losses[-1]:.4f}")
    outputs = predict(net, x_test)
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
