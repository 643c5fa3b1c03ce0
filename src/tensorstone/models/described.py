"""A model's weighted layers in plain lists and dictionaries, for a worker to match with its own."""

from __future__ import annotations

from typing import Any

from tensorstone.models.model import Model


def weighted_layers(model: Model) -> list[dict[str, Any]]:
    """Each layer that owns weights, in definition order (stone_worker says what reads this)."""
    return [
        {
            "name": leaf.path,
            "kind": leaf.layer.kind,
            "weights": [
                {"name": w.name, "role": w.role, "shape": list(w.shape)} for w in leaf.weights
            ],
            "flattened": leaf.flattened and [list(segment) for segment in leaf.flattened],
        }
        for leaf in model.weighted
    ]
