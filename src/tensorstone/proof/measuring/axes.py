"""What the axes of a layer's arrays are called."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_NAMES = {
    4: ("sample", "channel", "row", "column"),
    3: ("sample", "step", "feature"),
    2: ("sample", "feature"),
}


def axis_name(dimensions: int, axis: int) -> str:
    return _NAMES[dimensions][axis] if dimensions in _NAMES else f"index {axis}"


def along(values: np.ndarray, dimensions: int, axis: int) -> np.ndarray:
    """One value for each place of an axis, shaped to broadcast."""
    shape = [1] * dimensions
    shape[axis] = -1
    return values.reshape(shape)


def others(dimensions: int, axis: int) -> tuple[int, ...]:
    return tuple(k for k in range(dimensions) if k != axis)


def counted(name: str, places: Sequence[int], size: int) -> str:
    """Which of an axis's places: "channel 3", "rows 0 and 5", "12 of 64 channels"."""
    plural = "indices" + name[5:] if name.startswith("index") else f"{name}s"
    if len(places) == 1:
        return f"{name} {places[0]}"
    if len(places) > 6:
        return f"{len(places)} of {size} {plural}"
    *most, last = map(str, places)
    return f"{plural} {', '.join(most)} and {last}"
