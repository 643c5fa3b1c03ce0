"""One training run of a probe: where it starts and what it is fed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tensorstone.oracle import Arrays


@dataclass(frozen=True)
class ProbeRun:
    name: str
    weights: Arrays  # float32: exactly what the program is given
    x: np.ndarray
    y: np.ndarray
