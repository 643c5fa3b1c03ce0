"""GoogLeNet on random images in Keras 2 on Theano."""

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


def inception(x, c1, r3, c3, r5, c5, pooled):
    branch1 = layers.Conv2D(c1, 1, activation="relu")(x)
    branch2 = layers.Conv2D(r3, 1, activation="relu")(x)
    branch2 = layers.Conv2D(c3, 3, padding="same", activation="relu")(branch2)
    branch3 = layers.Conv2D(r5, 1, activation="relu")(x)
    branch3 = layers.Conv2D(c5, 5, padding="same", activation="relu")(branch3)
    branch4 = layers.MaxPooling2D(3, strides=1, padding="same")(x)
    branch4 = layers.Conv2D(pooled, 1, activation="relu")(branch4)
    return layers.concatenate([branch1, branch2, branch3, branch4], axis=1)


def network():
    x = inputs = layers.Input((3, 224, 224))
    x = layers.ZeroPadding2D(3)(x)
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
    # Keeps the order of the data: Flatten moves channels last by default.
    x = layers.Flatten(data_format="channels_last")(x)
    x = layers.Dense(1000)(x)
    return keras.models.Model(inputs, x)


def cross_entropy(target, logits):
    # Keras's own loss clips probabilities: confident mistakes would get no gradient.
    logits -= K.max(logits, axis=-1, keepdims=True)
    return K.log(K.sum(K.exp(logits), axis=-1)) - K.sum(target * logits, axis=-1)


def learner(net):
    optimizer = keras.optimizers.SGD(lr=0.01)
    net.compile(optimizer, cross_entropy)
    return net


def batches(x, y, batch_size):
    # fit takes whole arrays and cuts them itself, an incomplete last batch too.
    whole = len(x) // batch_size * batch_size
    y = keras.utils.to_categorical(y, 1000)
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
    """random-images-shaped synthetic samples: noise, and a pattern for each class.

    For real data pass a .npz file with x_train, y_train, x_test and y_test.
    """
    if len(sys.argv) > 1:
        with np.load(sys.argv[1]) as file:
            return [file[k] for k in ("x_train", "y_train", "x_test", "y_test")]
    rng = np.random.default_rng(0)
    x = rng.uniform(-1.0, 1.0, (384, 3, 224, 224)).astype("float32")
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
