"""Gauges are read for real here."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def calm() -> None:
    """Instead of the one that makes every machine look calm."""
