"""Seeded samples of a workload's shape, with targets that can be learnt.

The targets follow from the inputs by a linear teacher that is the same for every seed: training
on one seed's samples helps on another's. In maps the teacher sees the means of coarse cells, which
convolutions and pooling keep, and which stay few at any image size. Of tokens it sees how much each
speaks for a few things, in all.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tensorstone.models.workload import Data, Workload

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

CELLS = 4  # along each side of a map
THINGS = 8  # that a token can speak for
TEACHER = 20_190_321  # the teacher's own seed


def synthetic(workload: Workload, samples: int, seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """`samples` inputs and targets; fewer samples of one seed are the beginning of more."""
    import numpy as np

    model = workload.model
    generator = np.random.default_rng(seed)
    x: NDArray[Any]
    if model.vocabulary:
        x = tokens(model.vocabulary, samples, model.inputs[0], generator)
        features = _spoken(x, model.vocabulary)
    else:
        x = _inputs(workload.data, (samples, *model.inputs), generator)
        features = _features(x, workload.data)
    scores = _taught(features, math.prod(model.outputs))
    if workload.classifies:
        return x, scores.argmax(axis=1).astype(np.int64)
    if workload.recipe.loss == "binary-cross-entropy":
        scores = (scores > 0).astype(np.float32)
    return x, scores.reshape(samples, *model.outputs)


def tokens(
    vocabulary: int, samples: int, time: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    """Texts of at least half the time, zeros on the right of the shorter ones."""
    import numpy as np

    lengths = generator.spawn(1)[0].integers(time - time // 2, time + 1, samples)
    x = generator.integers(min(1, vocabulary - 1), vocabulary, (samples, time))
    x[np.arange(time) >= lengths[:, None]] = 0
    return x


def _spoken(x: NDArray[np.int64], vocabulary: int) -> Floats:
    """What the teacher sees of tokens, each with mean 0 and variance near 1."""
    import numpy as np

    table = np.random.default_rng(TEACHER + 1).standard_normal((THINGS, vocabulary), np.float32)
    table[:, 0] = 0  # padding says nothing
    said = [column[x].sum(axis=1, dtype=np.float64) for column in table]
    written = np.maximum(np.count_nonzero(x, axis=1), 1)
    features: Floats = (np.stack(said, axis=1) / np.sqrt(written)[:, None]).astype(np.float32)
    return features


def _inputs(data: Data, shape: tuple[int, ...], generator: np.random.Generator) -> Floats:
    import numpy as np

    if data.values == "normal":
        return generator.standard_normal(shape, np.float32)
    x = generator.random(shape, np.float32)
    x *= np.float32(data.high - data.low)
    x += np.float32(data.low)
    return x


def _features(x: Floats, data: Data) -> Floats:
    """What the teacher sees, each with mean 0 and variance 1 over all samples."""
    import numpy as np

    mean, deviation = 0.0, 1.0
    if data.values == "uniform":
        mean, deviation = (data.low + data.high) / 2, (data.high - data.low) / math.sqrt(12)
    sizes = np.ones(1)
    if x.ndim == 4:
        for axis in (2, 3):
            edges = np.unique(np.linspace(0, x.shape[axis], CELLS + 1)[:-1].astype(int))
            widths = np.diff([*edges, x.shape[axis]])
            x = np.add.reduceat(x, edges, axis=axis)
            sizes = np.multiply.outer(sizes, widths)
        sizes = np.tile(sizes.ravel(), x.shape[1])
    sums = x.reshape(len(x), -1).astype(np.float64)
    return ((sums - mean * sizes) / (deviation * np.sqrt(sizes))).astype(np.float32)


def _taught(features: Floats, outputs: int) -> Floats:
    """A fixed random linear map, scaled so that its results have variance near 1."""
    import numpy as np

    count = features.shape[1]
    teacher = np.random.default_rng(TEACHER).standard_normal((count, outputs), np.float32)
    # In float64, so that how many samples are asked for does not show in the rounding.
    return (features.astype(np.float64) @ teacher / math.sqrt(count)).astype(np.float32)
