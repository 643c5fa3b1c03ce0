"""Settings for quick races, and finding the processes that tests started."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import psutil

from tensorstone.dialects.registry import OWN_ROOMS
from tensorstone.race.group_run import Sitting, sit
from tensorstone.race.plan import Contestant, Settings
from tensorstone.race.process_run import Slot
from tensorstone.results.events import Silent
from tensorstone.results.trial import Trial
from tensorstone.runtime.process import Worker

PROGRAMS = Path(__file__).parent / "programs"
NULL = OWN_ROOMS / "null"
MARK = "STONE_TEST_MARK"

QUICK = Settings(
    budget_s=1.0,
    block_s=0.02,
    turns=2,
    warmup_steps=2,
    warmup_s=0.5,
    trial_timeout_s=60.0,
)

Make = Callable[..., Contestant]


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


def alone(contestant: Contestant, slot: Slot, settings: Settings) -> Trial:
    """A sitting of one."""
    (trial,) = sit(Sitting(((contestant, slot),), 1, settings.turns), settings, Silent())
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
    worker.request(
        "load",
        timeout_s,
        program=str(contestant.program),
        bridge=str(contestant.bridge),
        layers=contestant.layers,
        threads=1,
    )
    worker.request("new", timeout_s, weights=None)
    worker.request("learner", timeout_s, sgd=None)
