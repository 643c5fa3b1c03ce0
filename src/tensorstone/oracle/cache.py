"""Oracle results kept on disk by what they were computed from."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np


def digest(arrays: Mapping[str, np.ndarray]) -> str:
    """The content of named arrays in one hash: a part of a key."""
    raise NotImplementedError


def cached(
    key_parts: str | bytes | tuple[str | bytes, ...],
    compute: Callable[[], dict[str, np.ndarray]],
) -> dict[str, np.ndarray]:
    """What `compute` returns, from disk where it has been computed before."""
    raise NotImplementedError
