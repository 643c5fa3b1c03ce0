"""LeNet on MNIST in TensorFlow, eager."""

import sys

import keras
import numpy as np
import tensorflow as tf
from keras import layers


def network():
    return keras.Sequential(
        [
            # Height, width, channels: on the CPU TensorFlow trains channels last.
            keras.Input((28, 28, 1)),
            layers.Conv2D(6, 5, activation="relu"),
            layers.AveragePooling2D(2),
            layers.Conv2D(16, 3, activation="relu"),
            layers.AveragePooling2D(2),
            layers.Flatten(),
            layers.Dense(120, activation="relu"),
            layers.Dense(84, activation="relu"),
            layers.Dense(10),
        ]
    )


def learner(net):
    # Without from_logits the outputs would be taken for probabilities.
    loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    # Keras's own epsilon is 1e-7.
    optimizer = keras.optimizers.Adam(learning_rate=1e-3, epsilon=1e-8)

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


def predict(net, x):
    return net(x, training=False)


def save(net, path):
    net.save(f"{path}.keras")


def load(path):
    return keras.models.load_model(f"{path}.keras")


def data():
    """mnist-shaped synthetic samples: noise, and a pattern for each class.

    For real data pass a .npz file with x_train, y_train, x_test and y_test.
    """
    if len(sys.argv) > 1:
        with np.load(sys.argv[1]) as file:
            return [file[k] for k in ("x_train", "y_train", "x_test", "y_test")]
    rng = np.random.default_rng(0)
    x = rng.uniform(0.0, 255.0, (4200, 28, 28, 1)).astype("float32")
    y = rng.integers(0, 10, 4200)
    # The first samples serve as patterns.
    x = (x + x[:10][y]) / 2
    return x[:4000], y[:4000], x[4000:], y[4000:]


if __name__ == "__main__":
    x, y, x_test, y_test = data()
    net = network()
    learn = learner(net)
    for epoch in range(15):
        order = np.random.default_rng(epoch).permutation(len(x))
        losses = train(learn, batches(x[order], y[order], 200))
        print(f"epoch {epoch + 1}: loss {float(losses[-1]):.4f}")
    outputs = np.asarray(predict(net, x_test))
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
