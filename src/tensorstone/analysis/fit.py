"""What a step costs whatever the batch, and what each sample adds: step_s = fixed + per_sample * n.

The line is fitted to relative errors: a step of a hundred milliseconds is not known to the same
microsecond as one of a hundred microseconds, but to about the same per cent. Neither part can be
negative; where the best line says so, it is the best one with that part zero.

Overheads of launching and feeding show in `fixed`, arithmetic in `per_sample`. Often there is no
straight line (small batches do not fill the machine, large ones leave the cache), so the largest
relative distance from it comes along.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorstone.analysis.bootstrap import FEWEST, around, geometric, jointly
from tensorstone.results.estimate import Estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Fit:
    fixed_s: Estimate
    per_sample_s: Estimate
    worst: float  # distance from the line, of the worst batch size: 0.1 is 10 %

    @property
    def clipped(self) -> bool:
        """Whether the line would have had a negative part, which is zero here."""
        return self.fixed_s.value == 0 or self.per_sample_s.value == 0


def fit(restarts: Sequence[Mapping[int, float]]) -> Fit | None:
    """From the step time at each batch size in each restart; None below two batch sizes.

    A size that fewer than half the restarts finished is left out, and so are restarts that lack one
    of the others: what is compared must come from the same processes.
    """
    import numpy as np

    seen = sorted({batch for restart in restarts for batch in restart})
    batches = [b for b in seen if 2 * sum(b in restart for restart in restarts) >= len(restarts)]
    rows = [[r[b] for b in batches] for r in restarts if all(b in r for b in batches)]
    if len(batches) < 2 or not rows:
        return None
    sizes = np.array(batches, dtype=float)
    means = np.array([geometric(column).value for column in zip(*rows, strict=True)])
    fixed, each = (float(part[0]) for part in _lines(sizes, means[np.newaxis]))
    worst = float(np.max(np.abs((fixed + each * sizes) / means - 1)))
    n = len(rows)
    if n < FEWEST:
        return Fit(Estimate(fixed, None, None, n), Estimate(each, None, None, n), worst)
    fixed_drawn, each_drawn = _lines(sizes, jointly(rows))
    return Fit(around(fixed, fixed_drawn, n), around(each, each_drawn, n), worst)


def _lines(
    sizes: NDArray[np.float64], times: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The best (fixed, per sample) for each row of times: least squares, weighted by 1 / time²."""
    import numpy as np

    weights = times**-2.0
    weights /= weights.sum(axis=1, keepdims=True)
    size = (weights * sizes).sum(axis=1)
    time = (weights * times).sum(axis=1)
    away = sizes - size[:, np.newaxis]
    each = (weights * away * times).sum(axis=1) / (weights * away**2).sum(axis=1)
    fixed = time - each * size
    # Both are never negative: times are positive.
    through_zero = (sizes / times).sum(axis=1) / ((sizes / times) ** 2).sum(axis=1)
    return (
        np.where(fixed < 0, 0.0, np.where(each < 0, time, fixed)),
        np.where(each < 0, 0.0, np.where(fixed < 0, through_zero, each)),
    )
