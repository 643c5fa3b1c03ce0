"""What a recurrent layer asks of its cell: one direction's steps, forwards and backwards in time.

Arrays are steps × batch × rows. `sums` are the input's products with the bias added, computed for
all steps at once; what is left to a cell is the part that must wait for the step before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tensorstone.oracle.call import Call


@dataclass(frozen=True)
class CellWeights:
    """One direction's weights, the gates in canonical order."""

    input: np.ndarray
    recurrent: np.ndarray
    bias: np.ndarray | None  # on the input's side
    recurrent_bias: np.ndarray | None
    peepholes: np.ndarray | None = None  # only a deviation has them


@dataclass(frozen=True)
class Slopes:
    """The gradients a cell finds, before they are traced back to the input."""

    sums: np.ndarray
    recurrent: np.ndarray  # of the recurrent matrix
    products: np.ndarray  # of the state's products, where the recurrent bias is added
    peepholes: np.ndarray | None = None


@dataclass(frozen=True)
class Recurrence:
    """The recurrence of one kind of layer."""

    forward: Callable[[Call, CellWeights, np.ndarray], tuple[np.ndarray, Any]]
    backward: Callable[[Call, CellWeights, Any, np.ndarray], Slopes]


def before(states: np.ndarray) -> np.ndarray:
    """Each step's state before it, zero before the first."""
    return np.concatenate([np.zeros_like(states[:1]), states[:-1]])


def outer(slopes: np.ndarray, read: np.ndarray) -> np.ndarray:
    """The gradient of a matrix that made products of what was `read`, over all steps."""
    product: np.ndarray = rows(slopes).T @ rows(read)
    return product


def rows(array: np.ndarray) -> np.ndarray:
    return array.reshape(-1, array.shape[-1])
