"""A graph run forwards, and backwards."""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike

from tensorstone.models.graph import Graph
from tensorstone.oracle.case import Arrays, Case


def forward(
    graph: Graph,
    weights: Arrays,
    x: np.ndarray,
    dtype: DTypeLike = np.float64,
    training: bool = False,
) -> np.ndarray:
    """The graph's output for the batch `x`."""
    raise NotImplementedError


def activations(
    graph: Graph, weights: Arrays, x: np.ndarray, dtype: DTypeLike = np.float64
) -> list[np.ndarray]:
    """The output of every node in prediction."""
    raise NotImplementedError


def gradients(
    case: Case,
    weights: Arrays,
    x: np.ndarray,
    y: np.ndarray,
    dtype: DTypeLike = np.float64,
    step: int = 0,
) -> tuple[float, Arrays, Arrays]:
    """The batch's loss, the gradient of every trained weight, and the new running statistics."""
    raise NotImplementedError
