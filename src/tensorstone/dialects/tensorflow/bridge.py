"""TensorFlow's side of the worker; its networks are Keras's."""

import numpy as np
import tensorflow as tf
from tensorflow import keras

from stone_worker.keras_layers import outputs, read, to_native, write  # noqa: F401 (the worker's)


def configure(threads):
    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(threads)


def double():
    keras.backend.set_floatx("float64")
    # Optimisers of the older programs name it.
    tf.float32 = tf.float64
    tf.cast = _cast
    return (
        'keras.backend.set_floatx("float64"), tf.float32 = tf.float64, tf.cast rounds no constants'
    )


def _cast(x, dtype, name=None):
    """TensorFlow's own takes a Python number through float32, Adam's betas among them."""
    return _rounding_cast(np.float64(x) if isinstance(x, float) else x, dtype, name)


_rounding_cast = tf.cast


def version():
    return tf.__version__


def losses(values):
    return [float(value) for value in values]


def plain_sgd(learner, rate):
    optimizer = keras.optimizers.SGD(learning_rate=float(rate))
    if isinstance(learner, keras.Model):
        learner.compile(optimizer, loss=learner.loss)
        return learner
    # A hand-written step holds its optimiser in its closure, and reads it when it is traced.
    traced = getattr(learner, "experimental_get_tracing_count", lambda: 0)()
    if traced:
        raise ValueError("the step has been traced: its optimiser can no longer be replaced")
    function = getattr(learner, "python_function", learner)
    names = function.__code__.co_freevars
    net = function.__closure__[names.index("net")].cell_contents
    optimizer.build(net.trainable_variables)
    function.__closure__[names.index("optimizer")].cell_contents = optimizer
    return learner


def wait(_):
    """On the CPU a call returns when its work is done; this holds where a device would not."""
    if hasattr(tf.test, "experimental"):  # since 2.5
        tf.test.experimental.sync_devices()
