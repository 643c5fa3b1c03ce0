"""Initial weights: one NumPy recipe, loaded into every framework alike."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tensorstone.models.model import Model
from tensorstone.models.shapes import Weight
from tensorstone.models.workload import Init

if TYPE_CHECKING:  # NumPy is slow to import and listing workloads does without
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float32]

# What every weight of the role starts as; biases are zero, matrices follow the workload's `Init`.
CONSTANTS = {"gamma": 1.0, "beta": 0.0, "mean": 0.0, "variance": 1.0}
EMBEDDED = 0.05  # tables of embeddings begin evenly between minus and plus this


def initial_weights(model: Model, init: Init) -> dict[str, Array]:
    """Every array of the model by name, float32 in canonical layout.

    Each weight's numbers depend on the seed, its own name and its shape alone, so that adding a
    layer leaves the others as they were.
    """
    return {weight.name: _initial(weight, init) for weight in model.weights}


def _initial(weight: Weight, init: Init) -> Array:
    import numpy as np

    if weight.role in CONSTANTS or weight.role.endswith("bias"):
        return np.full(weight.shape, CONSTANTS.get(weight.role, 0.0), np.float32)
    if init.kind == "constant":
        return np.full(weight.shape, init.value, np.float32)
    seed = np.random.SeedSequence(init.seed, spawn_key=tuple(weight.name.encode()))
    generator = np.random.Generator(np.random.PCG64(seed))
    if weight.role == "table":
        return (generator.random(weight.shape, np.float32) * 2 - 1) * np.float32(EMBEDDED)
    inputs, outputs = fans(weight)
    if init.kind == "he":
        deviation = np.float32(math.sqrt(2 / inputs))
        return generator.standard_normal(weight.shape, np.float32) * deviation
    limit = np.float32(math.sqrt(6 / (inputs + outputs)))
    return (generator.random(weight.shape, np.float32) * 2 - 1) * limit


def fans(weight: Weight) -> tuple[int, int]:
    """How many inputs each output reads, and how many outputs each input reaches."""
    out, into, *kernel = weight.shape
    area = math.prod(kernel)
    return into * area, out * area
