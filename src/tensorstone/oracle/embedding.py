"""Embedding: rows of a table, picked by token."""

from __future__ import annotations

import numpy as np

from tensorstone.oracle.call import Backward, Call, Operation


def _forward(call: Call, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    tokens = x.astype(np.int64)
    if "padding-left" in call.quirks:
        tokens = _padded_left(tokens)
    return call.weights["table"][tokens], tokens


def _backward(call: Call, tokens: np.ndarray, dy: np.ndarray) -> Backward:
    dtable = np.zeros_like(call.weights["table"])
    # One sum for each token that occurs: adding rows one after another is many times slower.
    order = np.argsort(tokens, axis=None, kind="stable")
    found, first = np.unique(tokens.ravel()[order], return_index=True)
    dtable[found] = np.add.reduceat(dy.reshape(-1, dy.shape[-1])[order], first)
    return (np.zeros(tokens.shape, dy.dtype),), {"table": dtable}


def _padded_left(tokens: np.ndarray) -> np.ndarray:
    """Every text's trailing zeros moved before its first word."""
    time = tokens.shape[1]
    zeros = (np.cumsum(tokens[:, ::-1] != 0, axis=1) == 0).sum(axis=1, keepdims=True)
    return np.take_along_axis(tokens, (np.arange(time) - zeros) % time, axis=1)


EMBEDDING = Operation(_forward, _backward, approximated=False, quirks=frozenset({"padding-left"}))
