"""Contestants made of the programs in this folder, and the proof that they left nothing behind."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from racing import MARK, NULL, PROGRAMS, Make, marked

from tensorstone.race.plan import Contestant
from tensorstone.runtime.gauges import background as outside
from tensorstone.runtime.invocation import Invocation


@pytest.fixture
def mark() -> Iterator[str]:
    """Put into every worker's environment; at the end nobody may be left that carries it."""
    value = uuid.uuid4().hex
    yield value
    left = marked(value)
    for process in left:
        process.kill()
    assert not left, f"processes were left behind: {left}"


@pytest.fixture(autouse=True)
def calm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever else this machine does, no turn is called disturbed."""
    monkeypatch.setattr(outside, "reading", lambda: None)


@pytest.fixture
def make(tmp_path: Path, mark: str) -> Make:
    """A contestant of one of the programs (or of the null room), by name."""
    rng = np.random.default_rng(0)
    data, weights = tmp_path / "data.npz", tmp_path / "weights.npz"
    np.savez(data, x=rng.normal(size=(64, 8)).astype(np.float32), y=np.zeros(64, np.int64))
    np.savez(weights, **{"fc.weight": np.ones((2, 8), np.float32)})

    def contestant(name: str, **changes: object) -> Contestant:
        workdir = tmp_path / name
        workdir.mkdir(exist_ok=True)
        invocation = Invocation(Path(sys.executable), {MARK: mark}, (), 1, workdir)
        program = NULL / "program.py.jinja" if name == "null" else PROGRAMS / f"{name}.py"
        made = Contestant(name, program, NULL / "bridge.py", [], invocation, weights, data, 8)
        return replace(made, **changes)

    return contestant
