"""LeNet on MNIST in Keras 2 on Theano."""

import os
import sys
from types import SimpleNamespace

import numpy as np

os.environ["KERAS_BACKEND"] = "theano"
# By default Theano computes in double precision.
os.environ.setdefault("THEANO_FLAGS", "floatX=float32,blas.ldflags=-lopenblas")

import keras
from keras import backend as K
from keras import layers

K.set_image_data_format("channels_first")  # the order Theano computes in


def network():
    return keras.models.Sequential(
        [
            layers.Conv2D(6, 5, activation="relu", input_shape=(1, 28, 28)),
            layers.AveragePooling2D(2),
            layers.Conv2D(16, 3, activation="relu"),
            layers.AveragePooling2D(2),
            # Keeps the order of the data: Flatten moves channels last by default.
            layers.Flatten(data_format="channels_last"),
            layers.Dense(120, activation="relu"),
            layers.Dense(84, activation="relu"),
            layers.Dense(10),
        ]
    )


def cross_entropy(target, logits):
    # Keras's own loss clips probabilities: confident mistakes would get no gradient.
    logits -= K.max(logits, axis=-1, keepdims=True)
    return K.log(K.sum(K.exp(logits), axis=-1)) - K.sum(target * logits, axis=-1)


def learner(net):
    optimizer = keras.optimizers.Adam(lr=1e-3, epsilon=1e-8)
    net.compile(optimizer, cross_entropy)
    return net


def batches(x, y, batch_size):
    # fit takes whole arrays and cuts them itself, an incomplete last batch too.
    whole = len(x) // batch_size * batch_size
    y = keras.utils.to_categorical(y, 10)
    return SimpleNamespace(x=x[:whole], y=y[:whole], size=batch_size)


def train(learner, batches):
    # fit returns one loss per call: the mean over its batches.
    fitted = learner.fit(batches.x, batches.y, batches.size, shuffle=False, verbose=0)
    return fitted.history["loss"]


def predict(net, x):
    # By default Keras predicts in batches of 32.
    return net.predict(x, batch_size=len(x))


def save(net, path):
    net.save_weights(f"{path}.h5")


def load(path):
    net = network()
    net.load_weights(f"{path}.h5")
    return net


def data():
    """mnist-shaped synthetic samples: noise, and a pattern for each class.

    For real data pass a .npz file with x_train, y_train, x_test and y_test.
    """
    if len(sys.argv) > 1:
        with np.load(sys.argv[1]) as file:
            return [file[k] for k in ("x_train", "y_train", "x_test", "y_test")]
    rng = np.random.default_rng(0)
    x = rng.uniform(0.0, 255.0, (4200, 1, 28, 28)).astype("float32")
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
