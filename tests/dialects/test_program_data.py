"""The synthetic samples that a program makes for itself can be learnt: a mean of each class's
training samples, or its commonest word, tells the test samples apart."""

from __future__ import annotations

import ast

import numpy as np
import pytest
from emitted import source

from tensorstone.models.load import find


def data(workload: str, dialect: str) -> list[np.ndarray]:
    """What the program's `data()` returns: NumPy alone is needed."""
    text = source(workload, dialect)
    assert text is not None
    (function,) = (
        node
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef) and node.name == "data"
    )
    namespace = {"np": np, "sys": type("sys", (), {"argv": ["program"]})}
    exec(compile(ast.Module([function], []), "program", "exec"), namespace)
    return list(namespace["data"]())  # type: ignore[operator]


@pytest.mark.parametrize("dialect", ["pytorch/eager", "jax/flax"])
@pytest.mark.parametrize("workload", ["lenet", "mlp-mnist", "cnn-cifar10"])
def test_classes_have_patterns(workload: str, dialect: str) -> None:
    x, y, x_test, y_test = data(workload, dialect)
    assert (x.dtype, y.dtype) == (np.float32, np.int64)
    said = find(workload).data
    if said.values == "uniform":
        assert said.low <= x.min() and x.max() <= said.high
    flat, tested = x.reshape(len(x), -1), x_test.reshape(len(x_test), -1)
    means = np.stack([flat[y == kind].mean(0) for kind in range(10)])
    near = ((tested[:, None] - means) ** 2).sum(2).argmin(1)
    assert np.mean(near == y_test) > 0.95


@pytest.mark.parametrize("workload", ["gru-imdb", "bilstm-imdb"])
def test_classes_have_words(workload: str) -> None:
    x, _, x_test, y_test = data(workload, "pytorch/eager")
    vocabulary = find(workload).model.vocabulary
    assert vocabulary and x.min() >= 0 and x.max() < vocabulary
    counts = np.stack([(x_test == kind + 1).sum(1) for kind in range(2)], axis=1)
    assert np.mean(counts.argmax(1) == y_test) > 0.95


def test_regression_follows_a_linear_rule() -> None:
    x, y, x_test, y_test = data("mlp-regression", "pytorch/eager")
    rule = np.linalg.lstsq(x, y, rcond=None)[0]
    assert np.mean((x_test @ rule - y_test) ** 2) < 0.01 * np.var(y_test)
