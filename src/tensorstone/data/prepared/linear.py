"""P0's regression, made by the recipe it was published with: a linear function of normal numbers.

W is normal (2, 1000) from seed 42, X normal (100,000, 1000) from seed 43, and a sample's target is
the sum over features of W[1]·x + W[0]. A tenth is judged on: the first of a permutation from
seed 42, as scikit-learn's `train_test_split(test_size=0.1, random_state=42)` has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorstone.data import messages
from tensorstone.data.prepared.split import Real, Split, enough, unfit
from tensorstone.models.workload import Workload

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SAMPLES, FEATURES, TESTED = 100_000, 1000, 10_000
_CHUNK = 2_000  # rows at a time: all of X in float64 would take 800 MB


def prepare(workload: Workload) -> Real:
    """The published split, in float32."""
    if workload.model.inputs != (FEATURES,) or workload.model.outputs != (1,):
        raise unfit(workload, messages.wants_features(FEATURES))
    samples = enough(workload, SAMPLES - TESTED)
    x, y = _made()
    train = Split(x[TESTED : TESTED + samples], y[TESTED : TESTED + samples])
    note = messages.note_linear(FEATURES, samples, TESTED)
    return Real(train, Split(x[:TESTED], y[:TESTED]), note)


def _made() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """All samples in the order of the permutation, those to be judged on first."""
    import numpy as np

    bias, weights = np.random.RandomState(42).standard_normal((2, FEATURES))
    place = np.argsort(np.random.RandomState(42).permutation(SAMPLES))
    x = np.empty((SAMPLES, FEATURES), np.float32)
    y = np.empty((SAMPLES, 1), np.float32)
    generator = np.random.RandomState(43)
    for start in range(0, SAMPLES, _CHUNK):
        rows = generator.standard_normal((_CHUNK, FEATURES))  # goes on where the last one ended
        where = place[start : start + _CHUNK]
        x[where] = rows
        y[where, 0] = rows @ weights + bias.sum()
    return x, y
