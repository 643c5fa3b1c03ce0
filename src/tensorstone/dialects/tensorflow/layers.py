"""TensorFlow: a Keras network, and TensorFlow's own training step around it."""

from __future__ import annotations

from tensorstone.dialects.registry import Dialect, lookup
from tensorstone.dialects.shared.keras import layers
from tensorstone.dialects.tensorflow import recipe
from tensorstone.models.workload import Workload


def describe(workload: Workload, dialect: Dialect) -> dict[str, object]:
    """What the template needs."""
    inside = lookup(dialect.framework).pin == "2.4.0"  # Keras was a part of TensorFlow
    return {
        **layers.describe(workload, backend="tf.keras" if inside else "tensorflow"),
        **recipe.describe(workload, dialect, inside),
        "inside": inside,
    }
