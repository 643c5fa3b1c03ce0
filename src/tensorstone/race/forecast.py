"""How long the trainings that are left will take, from the epochs there were."""

from __future__ import annotations

import statistics
from collections.abc import Mapping


class Forecast:
    """Epochs still to do, by dialect; each is expected to take what its dialect's took so far."""

    def __init__(self, epochs: Mapping[str, int]) -> None:
        self._left = dict(epochs)
        self._seen: dict[str, list[float]] = {}

    def spent(self, dialect: str, seconds: float) -> None:
        """One epoch is done."""
        self._left[dialect] -= 1
        self._seen.setdefault(dialect, []).append(seconds)

    def drop(self, dialect: str) -> None:
        """It runs no more."""
        self._left[dialect] = 0

    @property
    def left_s(self) -> float:
        """A dialect not seen yet is taken for an average one."""
        if not self._seen:
            return 0.0
        typical = {name: statistics.fmean(seen) for name, seen in self._seen.items()}
        average = statistics.fmean(typical.values())
        return sum(count * typical.get(name, average) for name, count in self._left.items())
