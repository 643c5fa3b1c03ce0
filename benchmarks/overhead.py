"""What the harness itself costs, measured with the null room: `python benchmarks/overhead.py`.

Programs are raced through the ordinary machinery, taking turns: one that does nothing, one whose
step is a busy millisecond by the same clock, and that one again with nobody looking at its memory.
The busy one runs alone too: what turns cost it is the difference. Run it on an otherwise idle
machine: it reports differences of microseconds.
"""

from __future__ import annotations

import math
import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
from racers import NOTHING, harness_contestant, null_program

from tensorstone.race.group_run import Group, run_group
from tensorstone.race.plan import Contestant
from tensorstone.race.process_run import Assignment
from tensorstone.results.events import SilentObserver
from tensorstone.results.settings import RaceSettings
from tensorstone.results.trial import Trial
from tensorstone.runtime.invocation import Invocation
from tensorstone.runtime.machine import affinity
from tensorstone.runtime.process import Worker
from tensorstone.runtime.sampling import POLL_S, Tree
from tensorstone.support.machine_lock import machine_lock

ROUNDS = 5
TURNS = 10
NAME = "STONE_OVERHEAD_NAME"
STEP_S = 1e-3
BUSY = f"""\
    from time import perf_counter

    losses = []
    for _ in batches:
        end = perf_counter() + {STEP_S}
        while perf_counter() < end:
            pass
        losses.append(0.0)
    return losses
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        contestants = prepare(Path(folder))
        results: dict[str, list[Trial]] = {name: [] for name in contestants}
        trips: list[float] = []
        for number in range(ROUNDS):
            print(f"\rround {number + 1} of {ROUNDS}", end="", file=sys.stderr)
            alone = contestants["alone"]
            for group in ([alone], [c for c in contestants.values() if c is not alone]):
                for trial in run(group, number):
                    results[trial.dialect].append(trial)
            trips.append(round_trip(contestants["null"]))
        print("\r" + " " * 40 + "\r", end="", file=sys.stderr)
    report(results, median(trips))


def prepare(folder: Path) -> dict[str, Contestant]:
    null, busy = folder / "null.py", folder / "busy.py"
    null.write_text(null_program(NOTHING), encoding="utf-8")
    busy.write_text(null_program(BUSY), encoding="utf-8")
    data, weights = folder / "data.npz", folder / "weights.npz"
    np.savez(data, x=np.zeros((4096, 784), np.float32), y=np.zeros(4096, np.int64))
    np.savez(weights, w=np.zeros(1, np.float32))
    programs = {"null": null, "busy": busy, "unwatched": busy, "alone": busy}
    return {
        name: harness_contestant(name, program, invocation(name, folder), weights, data, 32)
        for name, program in programs.items()
    }


def invocation(name: str, folder: Path) -> Invocation:
    return Invocation(Path(sys.executable), {NAME: name}, affinity()[:1], 1, folder)


def start(made: Invocation, memory_limit: int | None) -> Worker:
    return Worker(made, memory_limit, math.inf if made.env[NAME] == "unwatched" else POLL_S)


def run(group: list[Contestant], number: int) -> list[Trial]:
    members = tuple((who, Assignment(number, place, 120.0)) for place, who in enumerate(group))
    return run_group(Group(members, len(members), TURNS), RaceSettings(), SilentObserver(), start)


def round_trip(contestant: Contestant) -> float:
    """Seconds from asking for a block of one step that does nothing to having its answer."""
    with Worker(contestant.invocation) as worker:
        worker.request(
            "load",
            60,
            program=str(contestant.program),
            bridge=str(contestant.bridge),
            layers=[],
            threads=1,
        )
        worker.request("new", 60, weights=None)
        worker.request("learner", 60, sgd=None)
        worker.request("feed", 60, data=str(contestant.data), batch=contestant.batch)
        times = []
        for _ in range(200):
            start = time.perf_counter()
            worker.request("block", 60, steps=1)
            times.append(time.perf_counter() - start)
    return median(times)


def look() -> float:
    """Processor seconds of one look at a process's memory."""
    tree = Tree(os.getpid(), os.getpid())
    start = time.thread_time()
    for _ in range(1000):
        tree.rss()
    return (time.thread_time() - start) / 1000


def step_s(trials: list[Trial]) -> float:
    """The fastest block: what disturbs only ever adds."""
    return min(block.step_s for trial in trials for block in trial.blocks)


def disturbed(trials: list[Trial]) -> bool:
    """Whether somebody else wanted the processor during more than one step in a hundred."""
    blocks = [block for trial in trials for block in trial.blocks]
    return sum(block.involuntary for block in blocks) > sum(block.steps for block in blocks) / 100


def report(results: dict[str, list[Trial]], trip_s: float) -> None:
    for name, trials in results.items():
        for made in trials:
            if not made.outcome.ok:
                raise SystemExit(f"{name}: {made.outcome.status}: {made.outcome.reason}")
    null, busy, unwatched, alone = (step_s(results[name]) for name in results)
    extra, watching, turns = busy - STEP_S, busy - unwatched, busy - alone
    lines = [
        ("a step that does nothing", null, null / STEP_S),
        ("a busy 1 ms step, beyond its 1 ms", extra, extra / STEP_S),
        ("  of that, looking at its memory", watching, watching / STEP_S),
        ("  of that, taking turns", turns, turns / STEP_S),
        ("around a block, outside the timer", trip_s, None),
    ]
    print(f"{'overhead':<36}{'time':>12}{'of a 1 ms step':>18}")
    for text, seconds, share in lines:
        shown = "" if share is None else f"{share:.4%}"
        print(f"{text:<36}{seconds * 1e6:>9.3f} µs{shown:>18}")
    print(f"{'one look at its memory':<36}{look() * 1e6:>9.3f} µs, every {POLL_S:g} s")
    if disturbed(results["busy"]):
        print("the machine was busy with something else: run this again when it is not")


if __name__ == "__main__":
    with machine_lock():
        main()
