"""Keras 3's room: the same words on every backend, which is the dialect's name."""

from __future__ import annotations

from tensorstone.dialects.keras import layers, recipes
from tensorstone.dialects.registry import Dialect
from tensorstone.models.workload import Workload


def describe(workload: Workload, dialect: Dialect) -> dict[str, object]:
    """What the template needs."""
    return {
        **layers.describe(workload, backend=dialect.short),
        **recipes.describe(workload),
    }
