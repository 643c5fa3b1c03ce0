"""Bidirectional LSTM on IMDB in Keras 2 on CNTK, recurrent layers not unrolled."""

import os
import sys
from types import SimpleNamespace

import numpy as np

os.environ["KERAS_BACKEND"] = "cntk"

import keras
from keras import backend as K
from keras import layers


def network():
    return keras.models.Sequential(
        [
            layers.Embedding(20000, 64, input_length=256),
            layers.Bidirectional(layers.LSTM(128, return_sequences=True)),
            layers.Bidirectional(layers.LSTM(128, return_sequences=True)),
            layers.Lambda(
                lambda x: K.concatenate(
                    [K.squeeze(x[:, 0], 1), K.squeeze(x[:, -1], 1)], axis=1
                ),
                output_shape=(512,),
            ),
            layers.Dense(2),
        ]
    )


def cross_entropy(target, logits):
    # Keras's own loss clips probabilities: confident mistakes would get no gradient.
    logits -= K.max(logits, axis=-1, keepdims=True)
    return K.log(K.sum(K.exp(logits), axis=-1)) - K.sum(target * logits, axis=-1)


def learner(net):
    optimizer = keras.optimizers.Adam(lr=0.01, epsilon=1e-8)
    net.compile(optimizer, cross_entropy)
    return net


def batches(x, y, batch_size):
    # fit takes whole arrays and cuts them itself, an incomplete last batch too.
    whole = len(x) // batch_size * batch_size
    y = keras.utils.to_categorical(y, 2)
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
