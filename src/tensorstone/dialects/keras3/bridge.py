"""Keras 3's side of the worker, on whichever backend it was started with."""

import keras
from keras.src.backend.common import dtypes

from stone_worker.keras_layers import outputs, read, to_native, write  # noqa: F401 (the worker's)


def configure(threads):
    """JAX takes as many threads as the process has processors; PyTorch is told."""
    if keras.backend.backend() == "torch":
        import torch

        torch.set_num_threads(threads)


def double():
    keras.config.set_floatx("float64")
    # What two types give together is never float64 on these backends, by this table.
    dtypes.BIT64_TO_BIT32_DTYPE["float64"] = "float64"
    said = 'keras.config.set_floatx("float64"), BIT64_TO_BIT32_DTYPE["float64"] = "float64"'
    if keras.backend.backend() == "jax":
        import jax

        jax.config.update("jax_enable_x64", True)
        return said + ', jax.config.update("jax_enable_x64", True)'
    return said


def version():
    return keras.__version__


def losses(values):
    return [float(value) for value in values]


def plain_sgd(learner, rate):
    learner.compile(keras.optimizers.SGD(learning_rate=float(rate)), loss=learner.loss)
    return learner


def wait(what):
    """PyTorch has ended when a call returns, as has Keras's `predict`; JAX's updates may not."""
    if keras.backend.backend() == "jax" and isinstance(what, keras.Model):
        import jax

        jax.block_until_ready([variable.value for variable in what.variables])
