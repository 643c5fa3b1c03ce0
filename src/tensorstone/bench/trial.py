"""One trial: a fresh process is loaded, started cold, warmed up and timed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

from tensorstone.bench import threads
from tensorstone.bench.invocation import Invocation
from tensorstone.bench.observer import Observer
from tensorstone.bench.outcome import Failure
from tensorstone.bench.plan import Contestant, Settings
from tensorstone.bench.process import Worker
from tensorstone.bench.results import Block, Trial
from tensorstone.bench.stop import duration

# A block that lasts this many times what it should (and this long at least) hangs.
HANGING, HANGING_S = 30.0, 30.0


@dataclass(frozen=True)
class Slot:
    """Which trial this is, and what earlier ones decided for it."""

    round: int
    order: int
    timeout_s: float
    steps: int | None  # a block's, once the first trial has chosen it


class Asked(Protocol):
    """What a trial needs of a worker."""

    def request(self, do: str, timeout_s: float, **fields: Any) -> dict[str, Any]: ...

    def peak_rss(self) -> int: ...

    def cpu_s(self) -> float: ...


def run(
    contestant: Contestant,
    slot: Slot,
    settings: Settings,
    observer: Observer,
    start_worker: Callable[[Invocation, int | None], Worker] = Worker,
) -> Trial:
    """Measure one contestant once. Whatever the worker does, a trial comes back."""
    start = time.monotonic()
    sheet = _Sheet(Trial(contestant.dialect, slot.round, slot.order))
    try:
        with start_worker(contestant.invocation, settings.memory_limit) as worker:
            measure(worker, contestant, slot, settings, observer, sheet)
    except Failure as failure:
        sheet.note(outcome=failure.outcome)
    return replace(sheet.trial, wall_s=time.monotonic() - start)


class _Sheet:
    """The trial so far: what was measured before a crash is kept."""

    def __init__(self, trial: Trial) -> None:
        self.trial = trial

    def note(self, **fields: Any) -> None:
        self.trial = replace(self.trial, **fields)


def measure(
    worker: Asked,
    contestant: Contestant,
    slot: Slot,
    settings: Settings,
    observer: Observer,
    sheet: _Sheet,
) -> None:
    deadline = time.monotonic() + slot.timeout_s

    def ask(do: str, at_most_s: float = float("inf"), **fields: Any) -> dict[str, Any]:
        left = max(0.0, deadline - time.monotonic())
        try:
            return worker.request(do, min(left, at_most_s), **fields)
        except Failure as failure:
            if failure.outcome.status == "timed-out" and left < at_most_s:
                reason = f"{do}: the trial was not done after {duration(slot.timeout_s)}"
                raise Failure(replace(failure.outcome, reason=reason)) from failure
            raise

    loaded = ask(
        "load",
        program=str(contestant.program),
        bridge=str(contestant.bridge),
        layers=contestant.layers,
        threads=contestant.invocation.threads,
    )
    sheet.note(version=loaded["version"], cold_import_s=loaded["import_s"])
    built = ask("new", weights=str(contestant.weights))["build_s"]
    built += ask("learner", sgd=None)["build_s"]
    sheet.note(cold_build_s=built)
    source: dict[str, Any] = {"data": str(contestant.data), "batch": contestant.batch}
    first = ask("train", **source, steps=1)
    sheet.note(cold_first_step_s=first["feed_s"] + first["wall_s"], warmup_steps=1)
    ask("feed", **source)

    def timed(steps: int, expected_s: float) -> Block:
        answer = ask("block", max(HANGING_S, HANGING * expected_s), steps=steps)
        return Block(**answer)

    step_s, warmup_steps, cut = warm_up(timed, settings, first["wall_s"])
    sheet.note(warmup_steps=1 + warmup_steps)
    if cut:
        sheet.note(notes=(f"warmed up for {1 + warmup_steps} steps only, they are slow",))
    steps = slot.steps or max(1, round(settings.block_s / step_s))
    before, start = worker.cpu_s(), time.monotonic()
    for index in range(settings.blocks):
        block = timed(steps, steps * step_s)
        observer.block(contestant.dialect, slot.round, index, block)
        sheet.note(blocks=(*sheet.trial.blocks, block), peak_rss_bytes=worker.peak_rss())
    blocks = sheet.trial.blocks
    sheet.note(cpu_use=(worker.cpu_s() - before) / (time.monotonic() - start))
    excess = threads.excess(
        sum(block.cpu_s for block in blocks),
        sum(block.wall_s for block in blocks),
        contestant.invocation.threads,
    )
    if excess:
        sheet.note(notes=(*sheet.trial.notes, excess))


class Timed(Protocol):
    def __call__(self, steps: int, expected_s: float) -> Block: ...


def warm_up(timed: Timed, settings: Settings, first_s: float) -> tuple[float, int, bool]:
    """Run growing blocks until one lasts half of what a measured one should.

    The same procedure in every trial, so that all are equally warm. Returns the step time the last
    block had, the steps run, and whether time ran out before the wanted number of steps.
    """
    done, spent_s, steps, expected_s = 0, 0.0, 1, first_s
    while True:
        block = timed(steps, expected_s)
        done += block.steps
        spent_s += block.wall_s
        step_s = max(block.step_s, 1e-9)  # a clock that did not move must not divide by zero
        long_enough = block.wall_s >= settings.block_s / 2
        if long_enough and done >= settings.warmup_steps:
            return step_s, done, False
        if spent_s >= settings.warmup_s and done >= 1:
            return step_s, done, done < settings.warmup_steps
        wanted = max(1, round(settings.block_s / 2 / step_s))
        # At least double, so that it ends; at most tenfold, since the first steps mislead.
        steps = steps if long_enough else min(10 * steps, max(2 * steps, wanted))
        expected_s = steps * step_s
