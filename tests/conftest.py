"""What every test may use."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "frameworks: runs a real framework in its own environment, installing it first"
    )
