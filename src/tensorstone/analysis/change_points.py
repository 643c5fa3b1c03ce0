"""Where a noisy series changes its level.

The cuts are those of PELT (Killick, Fearnhead & Eckley 2012): of all ways to cut the series into
pieces, the one with the least squared distance from the pieces' means plus a penalty for each.
Series here are a few hundred long, so every way is looked at (Jackson et al. 2005), without PELT's
pruning, which changes the speed and not the answer.

Least squares take a few far values for a level of their own. So what lies far from the median of
its neighbours is first brought close to it: a level that lasts carries that median along, a
disturbed block does not. And the penalty is in units of the noise, which is measured on
differences of neighbours, where levels cancel, by a median, which single blocks do not move.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SHORTEST, SHORTEST_SHARE = 5, 1 / 25  # blocks, and of all; what is shorter is a disturbance
NEIGHBOURS = 3  # to each side
FAR = 2.0  # standard deviations of the noise
PENALTY = 4.5  # times log n; 2 would be the Bayesian criterion, which sees levels in plain noise
LEAST_NOISE = 1e-3  # noise is never thought smaller than a tenth of a per cent
MOST_MEMORY = 0.6
MAD_TO_SD = 1.4826


@dataclass(frozen=True)
class BlockNoise:
    """What is left of a series without its levels."""

    sd: float
    memory: float  # correlation of a block with the next: a shared machine has moods

    @property
    def inflation(self) -> float:
        """How much the variance of a mean of many blocks grows by their memory."""
        return (1 + self.memory) / (1 - self.memory)


def noise(logs: NDArray[np.float64]) -> BlockNoise:
    """From the differences of blocks one and two apart: the former are smaller where blocks
    resemble the one before. Only the memory that so few blocks can show for sure counts."""
    import numpy as np

    one, two = (MAD_TO_SD * _mad(logs[apart:] - logs[:-apart]) for apart in (1, 2))
    if one == 0:
        return BlockNoise(LEAST_NOISE, 0.0)
    evident = (two / one) ** 2 - 1 - 1 / math.sqrt(len(logs))
    memory = float(np.clip(evident, 0.0, MOST_MEMORY))
    return BlockNoise(max(LEAST_NOISE, one / math.sqrt(2 * (1 - memory))), memory)


def segments(logs: NDArray[np.float64]) -> list[tuple[int, int]]:
    """The pieces from first to last, each as its first block and the one after its last."""
    found = noise(logs)
    penalty = PENALTY * math.log(len(logs)) * found.sd**2 * found.inflation
    return _cheapest(_tamed(logs, found.sd), penalty)


def _tamed(logs: NDArray[np.float64], sd: float) -> NDArray[np.float64]:
    import numpy as np

    mirrored = np.pad(logs, NEIGHBOURS, mode="reflect")
    windows = np.lib.stride_tricks.sliding_window_view(mirrored, 2 * NEIGHBOURS + 1)
    usual = np.median(windows, axis=1)
    return np.clip(logs, usual - FAR * sd, usual + FAR * sd)


def _cheapest(values: NDArray[np.float64], penalty: float) -> list[tuple[int, int]]:
    import numpy as np

    n = len(values)
    centred = values - values.mean()  # sums of squares of large numbers would lose digits
    sums = np.concatenate([[0.0], np.cumsum(centred)])
    squares = np.concatenate([[0.0], np.cumsum(centred**2)])
    least = np.full(n + 1, np.inf)  # cost of the best pieces up to each block
    least[0] = 0.0
    begins = np.zeros(n + 1, dtype=int)  # where the last of these pieces begins
    shortest = max(SHORTEST, math.floor(n * SHORTEST_SHARE))
    for end in range(shortest, n + 1):
        start = np.arange(end - shortest + 1)
        mean_part = (sums[end] - sums[start]) ** 2 / (end - start)
        costs = least[start] + squares[end] - squares[start] - mean_part + penalty
        begins[end] = np.argmin(costs)
        least[end] = costs[begins[end]]
    pieces: list[tuple[int, int]] = []
    end = n
    while end > 0:
        start_of_last = int(begins[end])
        pieces.append((start_of_last, end))
        end = start_of_last
    return pieces[::-1]


def _mad(values: NDArray[np.float64]) -> float:
    import numpy as np

    return float(np.median(np.abs(values - np.median(values))))
