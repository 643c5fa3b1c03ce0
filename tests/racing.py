"""Contestants made of the programs in `programs/`, settings for quick races, and the proof that no
process is left behind."""

from __future__ import annotations

import sys
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from tensorstone.dialects.registry import OWN_ROOMS
from tensorstone.proof.gate import exempt
from tensorstone.race.group_run import Group, run_group
from tensorstone.race.plan import Contestant
from tensorstone.race.process_run import Assignment
from tensorstone.results.conditions import Conditions
from tensorstone.results.events import SilentObserver
from tensorstone.results.program import Program, sha
from tensorstone.results.settings import RaceSettings
from tensorstone.results.subject import Subject
from tensorstone.results.trial import Trial
from tensorstone.runtime.gauges import background
from tensorstone.runtime.invocation import Invocation
from tensorstone.runtime.process import Worker

PROGRAMS = Path(__file__).parent / "programs"
NULL = OWN_ROOMS / "null"
MARK = "STONE_TEST_MARK"

QUICK = RaceSettings(
    budget_s=1.0,
    block_s=0.02,
    turns=2,
    warmup_steps=2,
    warmup_s=0.5,
    trial_timeout_s=60.0,
)

Make = Callable[..., Contestant]


def subject(text: str = "", batch: int = 8, **changes: Any) -> Subject:
    """A program of the tests' own with its own proof; `changes` are those of its conditions."""
    program, conditions = Program(text, sha(text), "", "test"), Conditions("", **changes)
    return Subject(program, exempt(program, conditions, "the test's own"), conditions, batch=batch)


def contestant_of(
    name: str, program: Path, invocation: Invocation, weights: Path, data: Path
) -> Contestant:
    """A program under the null room's bridge."""
    return Contestant(
        dialect=name,
        subject=subject(program.read_text(encoding="utf-8"), threads=invocation.threads),
        program=program,
        bridge=NULL / "bridge.py",
        layers=[],
        invocation=invocation,
        weights=weights,
        data=data,
    )


def rewritten(contestant: Contestant, program: Path, text: str) -> Contestant:
    """The same with another program, proven anew."""
    program.write_text(text, encoding="utf-8")
    proven = subject(text, contestant.batch, threads=contestant.invocation.threads)
    return replace(contestant, program=program, subject=proven)


def fed_by(contestant: Contestant, batch: int) -> Contestant:
    """The same with batches of another size."""
    text = contestant.subject.program.text
    return replace(contestant, subject=subject(text, batch, threads=contestant.invocation.threads))


@pytest.fixture
def mark() -> Iterator[str]:
    """Put into every worker's environment; at the end nobody may be left that carries it."""
    value = uuid.uuid4().hex
    yield value
    left = marked(value)
    for process in left:
        process.kill()
    assert not left, f"processes were left behind: {left}"


@pytest.fixture
def calm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever else this machine does, no turn is called disturbed."""
    monkeypatch.setattr(background, "reading", lambda: None)


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
        made = contestant_of(name, program, invocation, weights, data)
        return replace(made, **changes)  # type: ignore[arg-type]

    return contestant


def marked(mark: str) -> list[psutil.Process]:
    """Every process alive that was started, however indirectly, with this mark."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) == mark and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue
    return found


def alone(contestant: Contestant, assignment: Assignment, settings: RaceSettings) -> Trial:
    """A group of one."""
    group = Group(((contestant, assignment),), 1, settings.turns)
    (trial,) = run_group(group, settings, SilentObserver())
    return trial


def wait_for(condition: Callable[[], bool], timeout_s: float = 30.0) -> bool:
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.01)
    return condition()


def prepare(worker: Worker, contestant: Contestant, timeout_s: float = 60.0) -> None:
    """All that comes before the first step."""
    worker.request("load", timeout_s, **contestant.loading)
    worker.request("new", timeout_s, weights=None)
    worker.request("learner", timeout_s, sgd=None)
