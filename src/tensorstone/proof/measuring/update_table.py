"""Steps that are multiples of the model's: which multiple, of each array in each update."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tensorstone.proof.measuring.update_steps import Steps

LEAST = 2.5e-7  # relative: rates are kept in float32
_SHOWN = 100.0  # errors that are allowed: a step that is smaller shows no multiple


@dataclass(frozen=True)
class Table:
    """What each array's step is multiplied by in each update: (T, A); NaN where nothing shows."""

    names: tuple[str, ...]
    ratio: np.ndarray
    precision: np.ndarray

    def of(self, names: list[str]) -> Table:
        kept = [self.names.index(name) for name in names]
        return Table(tuple(names), self.ratio[:, kept], self.precision[:, kept])

    def joined(self, axis: int | None) -> tuple[np.ndarray, np.ndarray] | None:
        """The one multiple along an axis, and its precision; None where there is none."""
        weight = np.where(np.isfinite(self.ratio), 1 / np.square(self.precision), 0.0)
        total = weight.sum(axis)
        mean = (weight * np.nan_to_num(self.ratio)).sum(axis) / np.where(total > 0, total, np.nan)
        wide = mean if axis in (None, 0) else mean[:, None]
        gap = np.abs(self.ratio - wide)
        if (gap > 2 * self.precision).any():
            return None
        least = np.where(np.isfinite(self.ratio), self.precision, np.inf).min(axis)
        return np.asarray(mean), np.asarray(least)


def table(s: Steps, model: np.ndarray, allowed: np.ndarray, worst: float = 1.0) -> Table | None:
    """None where a step is no multiple of the model's."""
    count, arrays = s.count, len(s.names)
    ratio, precision = (np.full((count, arrays), np.nan) for _ in range(2))
    for k in range(arrays):
        own = s.of == k
        for t in range(count):
            u, d, error = model[t, own], s.d[t, own], allowed[t, own]
            x, y = u / error, d / error
            square = float(x @ x)
            if np.abs(x).max(initial=0.0) < _SHOWN:  # nothing shows but rounding
                if np.abs(y).max(initial=0.0) > _SHOWN:
                    return None
                continue
            value = float(x @ y) / square
            if not float(np.abs(y - value * x).max()) <= worst:
                return None
            ratio[t, k] = value
            precision[t, k] = max(1 / float(np.abs(x).max()), LEAST * max(abs(value), 1e-6))
    return Table(s.names, ratio, precision)
