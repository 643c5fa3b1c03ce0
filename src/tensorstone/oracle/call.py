"""What passes between the run and a layer: the call, and the operation that answers it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tensorstone.models.layers import Layer
from tensorstone.oracle.conventions import BATCHNORM_UNBIASED_VARIANCE

# What a mathematical library makes of an elementary function's exact values. The oracle's own runs
# are exact; tolerances are measured with some that are not.
Approximation = Callable[[np.ndarray], np.ndarray]


def exact(values: np.ndarray) -> np.ndarray:
    return values


@dataclass(frozen=True)
class Call:
    """One layer about to be computed."""

    layer: Any  # the Layer; each operation knows its own kind
    name: str
    weights: Mapping[str, np.ndarray]  # by role
    quirks: frozenset[str] = frozenset()
    conventions: frozenset[str] = frozenset()
    training: bool = False
    step: int = 0  # so that every update draws other dropout masks
    carries: bool = True  # whether the gradient of the layer's input is wanted

    @property
    def bias(self) -> np.ndarray | None:
        return None if "missing-bias" in self.quirks else self.weights.get("bias")

    @property
    def unbiased_running_variance(self) -> bool:
        return BATCHNORM_UNBIASED_VARIANCE in self.conventions


# Inputs' gradients in the order of the inputs, and weights' gradients by role. A role that is left
# out has gradient zero.
Backward = tuple[tuple[np.ndarray, ...], dict[str, np.ndarray]]


@dataclass(frozen=True)
class Operation:
    """A layer's meaning. `forward` returns its output and what `backward` will need of it."""

    forward: Callable[..., tuple[np.ndarray, Any]]  # (call, *inputs)
    backward: Callable[[Call, Any, np.ndarray], Backward]  # (call, saved, gradient of the output)
    approximated: bool  # exponentials and the like: libraries differ in their last digits
    quirks: frozenset[str] = frozenset()  # the deviations it can be computed with
    # Running statistics by role after a training step.
    statistics: Callable[[Call, Any], dict[str, np.ndarray]] | None = None


Operations = Mapping[type[Layer], Operation]
