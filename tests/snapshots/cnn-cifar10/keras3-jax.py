"""The Rosetta Stone's CNN on CIFAR-10 in Keras 3 on JAX."""

import os
import sys

# Keras chooses its backend when it is imported.
os.environ["KERAS_BACKEND"] = "jax"

import keras
import numpy as np
from keras import layers


def network():
    return keras.Sequential(
        [
            # Height, width, channels: Keras holds channels last by default.
            keras.Input((32, 32, 3)),
            layers.Conv2D(50, 3, padding="same", activation="relu"),
            layers.Conv2D(50, 3, padding="same"),
            layers.MaxPooling2D(2),
            layers.Activation("relu"),
            layers.Dropout(0.25),
            layers.Conv2D(100, 3, padding="same", activation="relu"),
            layers.Conv2D(100, 3, padding="same"),
            layers.MaxPooling2D(2),
            layers.Activation("relu"),
            layers.Dropout(0.25),
            layers.Flatten(),
            layers.Dense(512, activation="relu"),
            layers.Dropout(0.5),
            layers.Dense(10),
        ]
    )


def learner(net):
    # Without from_logits the outputs would be taken for probabilities.
    loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = keras.optimizers.SGD(learning_rate=0.01, momentum=0.9)
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
