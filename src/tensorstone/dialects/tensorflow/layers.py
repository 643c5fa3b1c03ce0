"""TensorFlow's room: Keras's words for the network, and the recipe around it."""

from __future__ import annotations

from tensorstone.dialects.keras import layers
from tensorstone.dialects.registry import Dialect
from tensorstone.dialects.tensorflow import recipes
from tensorstone.models.workload import Workload


def describe(workload: Workload, dialect: Dialect) -> dict[str, object]:
    """What the template needs."""
    return {
        **layers.describe(workload, backend="tensorflow"),
        **recipes.describe(workload, dialect),
    }
