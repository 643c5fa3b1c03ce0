"""GoogLeNet on random images in TensorFlow, a step under tf.function."""

import sys

import keras
import numpy as np
import tensorflow as tf
from keras import layers


def inception(x, c1, r3, c3, r5, c5, pooled):
    branch1 = layers.Conv2D(c1, 1, activation="relu")(x)
    branch2 = layers.Conv2D(r3, 1, activation="relu")(x)
    branch2 = layers.Conv2D(c3, 3, padding="same", activation="relu")(branch2)
    branch3 = layers.Conv2D(r5, 1, activation="relu")(x)
    branch3 = layers.Conv2D(c5, 5, padding="same", activation="relu")(branch3)
    branch4 = layers.MaxPooling2D(3, strides=1, padding="same")(x)
    branch4 = layers.Conv2D(pooled, 1, activation="relu")(branch4)
    return layers.concatenate([branch1, branch2, branch3, branch4])


def network():
    # Height, width, channels: on the CPU TensorFlow trains channels last.
    inputs = keras.Input((224, 224, 3))
    # With strides "same" would pad the bottom and right first.
    x = layers.ZeroPadding2D(3)(inputs)
    x = layers.Conv2D(64, 7, strides=2, activation="relu")(x)
    x = layers.MaxPooling2D(3, strides=2)(x)
    x = layers.Conv2D(64, 1, activation="relu")(x)
    x = layers.Conv2D(192, 3, padding="same", activation="relu")(x)
    x = layers.MaxPooling2D(3, strides=2)(x)
    x = inception(x, 64, 96, 128, 16, 32, 32)
    x = inception(x, 128, 128, 192, 32, 96, 64)
    x = layers.MaxPooling2D(3, strides=2)(x)
    x = inception(x, 192, 96, 208, 16, 48, 64)
    x = inception(x, 160, 112, 224, 24, 64, 64)
    x = inception(x, 128, 128, 256, 24, 64, 64)
    x = inception(x, 112, 144, 288, 32, 64, 64)
    x = inception(x, 256, 160, 320, 32, 128, 128)
    x = layers.MaxPooling2D(3, strides=2)(x)
    x = inception(x, 256, 160, 320, 32, 128, 128)
    x = inception(x, 384, 192, 384, 48, 128, 128)
    x = layers.AveragePooling2D(2)(x)
    x = layers.Flatten()(x)
    outputs = layers.Dense(1000)(x)
    return keras.Model(inputs, outputs)


def learner(net):
    # Without from_logits the outputs would be taken for probabilities.
    loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = keras.optimizers.SGD(learning_rate=0.01)
    # Its variables must exist before the step is traced.
    optimizer.build(net.trainable_variables)

    @tf.function
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


@tf.function
def predict(net, x):
    return net(x, training=False)


def save(net, path):
    net.save(f"{path}.keras")


def load(path):
    return keras.models.load_model(f"{path}.keras")


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
        print(f"epoch {epoch + 1}: loss {float(losses[-1]):.4f}")
    outputs = np.asarray(predict(net, x_test))
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
