"""Keras 3: the same program on every backend, whose name is the dialect's."""

from __future__ import annotations

from tensorstone.dialects.registry import Dialect
from tensorstone.dialects.shared.keras import layers, recipe
from tensorstone.models.workload import Workload


def describe(workload: Workload, dialect: Dialect) -> dict[str, object]:
    """What the template needs."""
    return {
        **layers.describe(workload, backend=dialect.short),
        **recipe.describe(workload),
    }
