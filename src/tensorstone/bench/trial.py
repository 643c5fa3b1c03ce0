"""One trial: a fresh process is loaded, started cold, warmed up and timed."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tensorstone.bench import feeding, threads
from tensorstone.bench.invocation import Invocation
from tensorstone.bench.life import Afterwards
from tensorstone.bench.observer import Observer
from tensorstone.bench.outcome import Failure
from tensorstone.bench.plan import Contestant, Settings
from tensorstone.bench.process import Worker
from tensorstone.bench.results import Block, Trial
from tensorstone.bench.stop import duration
from tensorstone.bench.warmup import warm_up

# A block that lasts this many times what it should (and this long at least) hangs. Generous:
# threads that spin while they wait crawl when something else wants their processors.
HANGING, HANGING_S = 100.0, 180.0


@dataclass(frozen=True)
class Slot:
    """Which trial this is, and what earlier ones decided for it."""

    round: int
    order: int
    timeout_s: float
    steps: int | None  # a block's, once the first trial has chosen it
    life: bool = False  # whether feeding and life after training are measured too


def run(
    contestant: Contestant,
    slot: Slot,
    settings: Settings,
    observer: Observer,
    start_worker: Callable[[Invocation, int | None], Worker] = Worker,
) -> Trial:
    """Measure one contestant once. Whatever the worker does, a trial comes back."""
    start = time.monotonic()
    sitting = _Sitting(contestant, slot, settings, observer)

    def fresh() -> Worker:
        return start_worker(contestant.invocation, settings.memory_limit)

    with tempfile.TemporaryDirectory(dir=contestant.invocation.workdir) as folder:
        try:
            with fresh() as worker:
                sitting.measure(worker)
                after = sitting.stay(worker, Path(folder)) if slot.life else None
            if after:
                after.in_a_fresh_one(fresh)
                sitting.keep(life=after.life)
        except Failure as failure:
            sitting.keep(outcome=failure.outcome)
    return replace(sitting.trial, wall_s=time.monotonic() - start)


class _Sitting:
    """A trial in the making: what was measured before a crash is kept."""

    def __init__(
        self, contestant: Contestant, slot: Slot, settings: Settings, observer: Observer
    ) -> None:
        self.trial = Trial(contestant.dialect, slot.round, slot.order)
        self._contestant, self._slot = contestant, slot
        self._settings, self._observer = settings, observer
        self._source: dict[str, Any] = {
            "data": str(contestant.data),
            "batch": contestant.batch,
        }

    def keep(self, **fields: Any) -> None:
        self.trial = replace(self.trial, **fields)

    def measure(self, worker: Worker) -> None:
        self._worker = worker
        self._deadline = time.monotonic() + self._slot.timeout_s
        first_s = self._start_cold()
        step_s = self._warm_up(first_s)
        self._time_blocks(step_s)

    def _start_cold(self) -> float:
        contestant = self._contestant
        loaded = self._ask("load", **contestant.loading)
        self.keep(version=loaded["version"], cold_import_s=loaded["import_s"])
        net = self._ask("new", weights=str(contestant.weights))
        learner = self._ask("learner", sgd=None)
        self.keep(cold_build_s=net["build_s"] + learner["build_s"])
        first = self._ask("train", **self._source, steps=1)
        self.keep(cold_first_step_s=first["feed_s"] + first["wall_s"], warmup_steps=1)
        return float(first["wall_s"])

    def _warm_up(self, first_s: float) -> float:
        self._ask("feed", **self._source)
        warm = warm_up(self._block, self._settings, first_s)
        self.keep(warmup_steps=1 + warm.steps)
        if warm.cut:
            self._note(f"warmed up for {1 + warm.steps} steps only, they are slow")
        return warm.step_s

    def _time_blocks(self, step_s: float) -> None:
        steps = self._slot.steps or max(1, round(self._settings.block_s / step_s))
        before, start = self._worker.cpu_s(), time.monotonic()
        blocks: list[Block] = []
        for index in range(self._settings.blocks):
            blocks.append(self._block(steps, steps * step_s))
            self._observer.block(self.trial.dialect, self.trial.round, index, blocks[-1])
            self.keep(blocks=tuple(blocks), peak_rss_bytes=self._worker.peak_rss())
        self.keep(cpu_use=(self._worker.cpu_s() - before) / (time.monotonic() - start))
        cpu_s, wall_s = sum(b.cpu_s for b in blocks), sum(b.wall_s for b in blocks)
        excess = threads.excess(cpu_s, wall_s, self._contestant.invocation.threads)
        if excess:
            self._note(excess)

    def stay(self, worker: Worker, folder: Path) -> Afterwards:
        """After the last block, where nothing can disturb it: feeding alone, then life begins.

        Each answer may take as long as a whole trial, and what goes wrong costs it nothing.
        """
        patience_s = self._slot.timeout_s
        steps, workers = self.trial.blocks[0].steps, self._settings.feed_workers
        self.keep(feeding=feeding.measure(worker, steps, 0, patience_s))
        if workers:
            self.keep(worked_feeding=feeding.measure(worker, steps, workers, patience_s))
        after = Afterwards(self._contestant, folder, patience_s)
        after.in_its_process(worker)
        return after

    def _block(self, steps: int, expected_s: float) -> Block:
        at_most_s = max(HANGING_S, HANGING * expected_s)
        return Block(**self._ask("block", at_most_s, steps=steps))

    def _ask(self, do: str, at_most_s: float = float("inf"), **fields: Any) -> dict[str, Any]:
        left = max(0.0, self._deadline - time.monotonic())
        try:
            return self._worker.request(do, min(left, at_most_s), **fields)
        except Failure as failure:
            if failure.outcome.status == "timed-out" and left < at_most_s:
                reason = f"{do}: the trial was not done after {duration(self._slot.timeout_s)}"
                raise Failure(replace(failure.outcome, reason=reason)) from failure
            raise

    def _note(self, text: str) -> None:
        self.keep(notes=(*self.trial.notes, text))
