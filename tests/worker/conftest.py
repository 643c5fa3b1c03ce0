"""A worker of its own for every test, and files for it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from line import BRIDGE, PROGRAM, WORKER, Line


@pytest.fixture
def line() -> Iterator[Line]:
    opened = Line([sys.executable, "-u", "-s", str(WORKER / "__main__.py")])
    yield opened
    opened.close()


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "bridge.py").write_text(BRIDGE, encoding="utf-8")
    x = np.arange(20, dtype=np.float32).reshape(10, 2)
    np.savez(tmp_path / "data.npz", x=x, y=np.zeros(10, np.int64))
    np.savez(tmp_path / "weights.npz", fc=np.array([100.0, 200.0]))
    return {path.stem: str(path) for path in tmp_path.iterdir()}
