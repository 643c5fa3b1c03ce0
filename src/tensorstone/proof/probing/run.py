"""One training run of a probe: where it starts and what it is fed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tensorstone.oracle import Arrays


@dataclass(frozen=True)
class ProbeRun:
    """With `interrupted`, training is called twice: for one batch, and for the rest. Between the
    calls the program predicts: what it forgets or leaves switched then shows."""

    name: str
    weights: Arrays  # float32: exactly what the program is given
    x: np.ndarray
    y: np.ndarray
    interrupted: bool = False

    def calls(self, batch: int) -> list[slice]:
        """The samples of each call of `train`: whole batches and a sample too many, which the next
        call begins with."""
        samples = len(self.x)
        if not self.interrupted or samples <= batch + 1:
            return [slice(0, samples)]
        return [slice(0, batch + 1), slice(batch, samples)]
