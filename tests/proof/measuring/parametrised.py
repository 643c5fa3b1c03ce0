"""What parametrised tests share: names that every process gives alike, and how many seeds."""

from __future__ import annotations

import pytest


def shown(value: object) -> str:
    """A function's own text would hold its address."""
    return "function" if callable(value) else str(value)[:50]


def seeds(count: int) -> list[object]:
    """The first one in `make test`, the others in `make test-rest`."""
    return [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, count))]
