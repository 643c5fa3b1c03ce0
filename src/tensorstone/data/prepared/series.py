"""Hourly pm2.5: the next hour from the hours before it.

A sample's inputs are the last values in order of time, oldest first: the features of one step
(1, lags), or a sequence of lags (lags, 1). The stretch begins where the table has the fewest gaps
for two months. An hour without a measurement is filled with the last one measured, never with a
later one, and is nobody's target: interpolating would let inputs see what they are to predict.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tensorstone.data import messages
from tensorstone.data.content import Arrays
from tensorstone.data.prepared.split import Real, Split, unfit
from tensorstone.models.workload import Workload
from tensorstone.support.errors import StoneError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

BEGIN = (2012, 3, 14, 17)
TESTED = 3  # one sample is judged on for every so many that train: 1,077 + 359


def prepare(workload: Workload, arrays: Arrays) -> Real:
    """The earlier samples train, the later ones judge."""
    import numpy as np

    inputs, lags = workload.model.inputs, math.prod(workload.model.inputs)
    if inputs not in ((1, lags), (lags, 1), (lags,)) or workload.model.outputs != (1,):
        raise unfit(workload, messages.WANTS_LAGS)
    begin = int(np.flatnonzero((arrays["when"] == BEGIN).all(axis=1))[0])
    x, y, filled = windows(arrays["pm25"][begin:], lags)
    trained, tested = workload.data.samples, workload.data.samples // TESTED
    if trained + tested > len(y) or not tested:
        most = len(y) * TESTED // (TESTED + 1)
        raise StoneError(
            *messages.wrong_number_of_samples(
                workload.name, trained, workload.data.name, TESTED, most, lags
            )
        )
    used = trained + tested
    lagged, targets = standardised(x[:used], y[:used], trained)
    shaped = lagged.reshape(used, *inputs)
    first = "{}-{:02}-{:02} {:02}:00".format(*BEGIN)
    note = messages.note_series(lags, first, _gaps(filled, used, lags), trained, tested)
    earlier = Split(shaped[:trained], targets[:trained])
    return Real(earlier, Split(shaped[trained:], targets[trained:]), note)


def windows(hours: Floats, lags: int) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Every measured hour with the `lags` hours before it, and which of all hours were filled."""
    import numpy as np

    missing = np.isnan(hours)
    if missing[0]:
        raise ValueError("the first hour must be measured")
    known = np.maximum.accumulate(np.where(missing, 0, np.arange(len(hours))))
    x = np.lib.stride_tricks.sliding_window_view(hours[known], lags)[:-1]
    measured = ~missing[lags:]
    return x[measured], hours[lags:][measured], missing


def standardised(
    x: Floats, y: Floats, trained: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """By the mean and deviation of the training targets alone; y becomes a column."""
    import numpy as np

    mean, deviation = y[:trained].mean(), y[:trained].std()
    scaled = [(values - mean) / deviation for values in (x, y[:, None])]
    return scaled[0].astype(np.float32), scaled[1].astype(np.float32)


def _gaps(filled: NDArray[np.bool_], used: int, lags: int) -> str:
    import numpy as np

    measured = np.flatnonzero(~filled[lags:])[:used]
    count = int(filled[: lags + measured[-1] + 1].sum())
    return messages.gaps(count)
