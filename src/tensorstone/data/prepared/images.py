"""Images: the first samples train, all test images judge; pixels as the workload's values say."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tensorstone.data import messages
from tensorstone.data.content import Arrays
from tensorstone.data.prepared.split import Real, Split, class_targets, enough, unfit
from tensorstone.models.workload import Workload

if TYPE_CHECKING:
    from numpy.typing import NDArray

CLASSES = 10


def prepare(workload: Workload, arrays: Arrays) -> Real:
    """Images as they are shaped, or flat where the model reads flat ones."""
    there, shape = len(arrays["train_x"]), arrays["train_x"].shape[1:]
    if workload.model.inputs not in (shape, (math.prod(shape),)):
        raise unfit(workload, messages.wants_images(shape, math.prod(shape)))
    samples = enough(workload, there)
    scale, shift, values = _values(workload, arrays["train_x"][:samples])
    tested = len(arrays["test_x"])

    def split(part: str, count: int) -> Split:
        import numpy as np

        x = arrays[f"{part}_x"][:count].astype(np.float32)
        x *= scale
        x += shift
        y = class_targets(workload, arrays[f"{part}_y"][:count], CLASSES)
        return Split(x.reshape(count, *workload.model.inputs), y)

    note = messages.note_images(values, samples, there, tested)
    return Real(split("train", samples), split("test", tested), note)


def _values(workload: Workload, train: NDArray[Any]) -> tuple[Any, Any, str]:
    """Scale, shift and their words."""
    import numpy as np

    data = workload.data
    if data.values == "normal":
        # Channel by channel, in exact whole numbers: the training images' own mean and deviation.
        channels = train.shape[1]
        counts = [np.bincount(train[:, c].ravel(), minlength=256) for c in range(channels)]
        levels = np.arange(256.0)
        means = np.array([np.average(levels, weights=count) for count in counts])
        squares = np.array([np.average(levels**2, weights=count) for count in counts])
        deviations = np.sqrt(squares - means**2)
        sides = (channels, 1, 1)
        scale = (1 / deviations).astype(np.float32).reshape(sides)
        shift = (-means / deviations).astype(np.float32).reshape(sides)
        return scale, shift, messages.STANDARDISED
    scale = np.float32((data.high - data.low) / 255)
    if (data.low, data.high) == (0, 255):
        return scale, np.float32(0), messages.RAW_PIXELS
    return scale, np.float32(data.low), messages.scaled_pixels(data.low, data.high)
