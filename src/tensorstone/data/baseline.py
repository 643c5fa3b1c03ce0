"""What a model must beat: the commonest class, or a linear model of the same inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorstone.data.prepared.split import Real, Split

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_CHUNK = 8192  # rows at a time, in float64

MEANING = {
    "accuracy": "always the commonest class",
    "mse": "linear model",
    "mae": "linear model",
    "r2": "linear model",
}


def baseline(real: Real, metric: str) -> float:
    """The trivial model's metric on the test samples; only the training samples shape it."""
    if metric == "accuracy":
        return _majority(real)
    weights = least_squares(real.train)
    return score(_rows(real.test.y), predict(weights, real.test.x), metric)


def score(truth: NDArray[Any], predicted: NDArray[Any], metric: str) -> float:
    """mse, mae, or r2: the share of the truth's variance that the prediction explains."""
    import numpy as np

    error = np.asarray(truth, np.float64) - np.asarray(predicted, np.float64)
    if metric == "mae":
        return float(np.abs(error).mean())
    squared = float((error**2).mean())
    if metric == "mse":
        return squared
    if metric != "r2":
        raise ValueError(f"no baseline for {metric}")
    spread = np.asarray(truth, np.float64) - np.mean(truth, axis=0, dtype=np.float64)
    return 1.0 - squared / float((spread**2).mean())


def least_squares(train: Split) -> Floats:
    """Weights of a linear model, its intercept in the last row.

    The triangle of a QR decomposition is carried from chunk to chunk: as exact as solving the
    whole, without having it all in memory in float64.
    """
    import numpy as np

    x, y = train.x.reshape(len(train), -1), _rows(train.y)
    features = x.shape[1] + 1
    triangle: Any = np.empty((0, features + y.shape[1]))
    for start in range(0, len(train), _CHUNK):
        rows = slice(start, start + _CHUNK)
        ones = np.ones((len(x[rows]), 1))
        chunk = np.concatenate([x[rows], ones, y[rows]], axis=1, dtype=np.float64)
        triangle = np.linalg.qr(np.concatenate([triangle, chunk]), mode="r")
    left, right = triangle[:features, :features], triangle[:features, features:]
    weights: Floats = np.linalg.lstsq(left, right, rcond=None)[0]
    return weights


def predict(weights: Floats, x: NDArray[Any]) -> Floats:
    """The linear model's answers."""
    import numpy as np

    flat = x.reshape(len(x), -1)
    answers: Floats = np.concatenate(
        [
            flat[start : start + _CHUNK].astype(np.float64) @ weights[:-1] + weights[-1]
            for start in range(0, len(flat), _CHUNK)
        ]
    )
    return answers


def _majority(real: Real) -> float:
    import numpy as np

    labels, counts = np.unique(real.train.y, return_counts=True)
    return float((real.test.y == labels[counts.argmax()]).mean())


def _rows(y: NDArray[Any]) -> NDArray[Any]:
    return y.reshape(len(y), -1)
