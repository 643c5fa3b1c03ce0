"""The metric of predictions: float64, targets and predictions the right way round."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

from tensorstone.analysis.curves import LARGER_IS_BETTER
from tensorstone.models.workload import Workload
from tensorstone.results.outcome import Outcome
from tensorstone.runtime.failure import Failure

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Where one output says "yes", by what the dialect's outputs are.
THRESHOLDS = {"logits": 0.0, "probabilities": 0.5}


def judge(
    workload: Workload,
    targets: NDArray[Any],
    outputs: NDArray[Any],
    kind: Literal["logits", "probabilities"],
) -> float:
    """The recipe's metric; outputs of another shape are the program's failure."""
    expected = (len(targets), *workload.model.outputs)
    if outputs.size != math.prod(expected) or outputs.shape[:1] != (len(targets),):
        said = f"predictions of shape {outputs.shape}, not {expected}"
        raise Failure(Outcome("failed", f"evaluate: {said}"))
    if workload.classifies:
        hits = outputs.reshape(expected).argmax(axis=1) == targets
        return float(hits.mean())
    outputs = outputs.reshape(targets.shape)
    if workload.recipe.metric == "accuracy":
        return float(((outputs > THRESHOLDS[kind]) == (targets > 0.5)).mean())
    from tensorstone.data.baseline import score

    return score(targets, outputs, workload.recipe.metric)


def resolution(metric: str, targets: NDArray[Any]) -> float:
    """One rounding of float32 on the metric's own scale: what predictions can tell of it."""
    import numpy as np

    rounding = float(np.finfo(np.float32).eps)
    if metric in LARGER_IS_BETTER:  # shares of 1
        return rounding
    size = float(np.sqrt(np.mean(np.square(targets, dtype=np.float64))))
    return rounding * (size**2 if metric == "mse" else size)
