"""Contestants of real processes, on a machine that looks calm."""

from __future__ import annotations

import pytest
from racing import calm, make, mark

__all__ = ["calm", "make", "mark"]


@pytest.fixture(autouse=True)
def looks_calm(calm: None) -> None:
    """Whatever else this machine does, no turn is called disturbed."""
