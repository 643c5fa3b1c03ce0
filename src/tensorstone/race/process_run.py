"""One process of a contestant from its start to its end. Whatever it does, a trial comes of it.

Between its turns the process is stopped, with everything below it: no thread that spins while it
waits takes a processor from whoever's turn it is.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from tensorstone.race import feeding, messages
from tensorstone.race.block_length import block_length
from tensorstone.race.deployment import DeploymentRun
from tensorstone.race.plan import Contestant
from tensorstone.race.warmup import warm_up
from tensorstone.results.events import Observer
from tensorstone.results.settings import RaceSettings
from tensorstone.results.trial import SETTLING_STEPS, Block, Trial, TrialSpec
from tensorstone.runtime import threads
from tensorstone.runtime.failure import Failure
from tensorstone.runtime.gauges import background, energy, gpu, running, unique_memory
from tensorstone.runtime.invocation import Invocation
from tensorstone.runtime.process import Worker

StartWorker = Callable[[Invocation, int | None], Worker]

# A block that lasts this many times what it should (and this long at least) hangs. Generous:
# threads that spin while they wait crawl when something else wants their processors.
HANGING, HANGING_S = 100.0, 180.0
USUAL_FROM = 3  # blocks


@dataclass(frozen=True)
class Assignment:
    """Which trial this is, and what earlier ones decided for it."""

    round: int
    place: int
    timeout_s: float  # of its own time: others' turns do not count
    steps: int | None = None  # a block's, once the first trial has chosen it
    deploy: bool = False  # whether feeding, saving, loading and predicting are measured too
    group: int = 0


class ProcessRun:
    """`begin()`, then `turn()` as often as wanted, then `end()`; `close()` in any case.

    What was measured before a crash is kept in `trial`.
    """

    def __init__(
        self,
        contestant: Contestant,
        assignment: Assignment,
        settings: RaceSettings,
        observer: Observer,
        start_worker: StartWorker = Worker,
    ) -> None:
        self.trial = Trial.begun(
            TrialSpec(
                contestant.dialect,
                contestant.role,
                assignment.round,
                assignment.group,
                assignment.place,
            )
        )
        self._contestant, self._assignment = contestant, assignment
        self._settings, self._observer = settings, observer
        self._start_worker = start_worker
        self._worker: Worker | None = None
        self._steps = assignment.steps or 0
        self._step_s = self._turns_s = self._turns_cpu_s = 0.0
        self._source: dict[str, Any] = {"data": str(contestant.data), "batch": contestant.batch}

    @property
    def alive(self) -> bool:
        return self._worker is not None

    @property
    def block_s(self) -> float:
        """How long its next block should take."""
        return self._steps * self._step_s

    @property
    def turn_s(self) -> float:
        """The same with what it settles for."""
        return (self._steps + SETTLING_STEPS) * self._step_s

    def peak_rss(self) -> int:
        return self._worker.peak_rss() if self._worker else 0

    def begin(self) -> None:
        """Start it cold and warm it up."""
        self._observer.trial_started(self.trial)
        with self._at_work():
            self._worker = self._fresh()
            self._step_s = self._warm_up(self._start_cold())
            self._steps = self._steps or self._choose_steps()

    @property
    def chooses(self) -> bool:
        """Whether this trial is the one that says how many steps its blocks have."""
        return self._assignment.steps is None

    def take_steps(self, steps: int) -> None:
        self._steps = steps

    def try_block(self) -> Block | None:
        """A block that only shows how long it takes: it counts as warm-up."""
        if not self.alive:
            return None
        with self._at_work():
            block = self._block(self._steps, self.block_s, SETTLING_STEPS)
            self._count_as_warmup(block.steps + SETTLING_STEPS, block.wall_s)
            return block
        return None

    def turn(self) -> None:
        """One block, as long as it has not failed."""
        if not self.alive:
            return
        with self._at_work() as worker:
            block = self._watched_block(worker)
            self.keep(
                blocks=(*self.trial.blocks, block),
                peak_rss_bytes=worker.peak_rss(),
                cpu_use=self._turns_cpu_s / self._turns_s,
            )
            self._observer.block(self.trial, len(self.trial.blocks) - 1, block)

    def end(self) -> None:
        """After the last turn: what is to be said of all of them, and its deployment."""
        if self.alive and self._assignment.deploy:
            with self._at_work() as worker:
                self._look_closely(worker)
        self._check_threads()
        if self.alive and self._assignment.deploy:
            with (
                tempfile.TemporaryDirectory(dir=self._contestant.invocation.workdir) as folder,
                self._at_work() as worker,
            ):
                start = time.monotonic()
                deployed = self._deploy(worker, Path(folder))
                self.close()
                deployed.in_a_fresh_one(self._fresh)
                found = replace(deployed.found, wall_s=time.monotonic() - start)
                self.keep(deployment=found)
        self.close()

    def close(self) -> None:
        worker, self._worker = self._worker, None
        if worker:
            worker.close()

    def keep(self, **fields: Any) -> None:
        self.trial = replace(self.trial, **fields)

    @contextmanager
    def _at_work(self) -> Iterator[Any]:
        """Awake within, stopped after; what goes wrong is the trial's outcome, and its end."""
        self._woken = time.monotonic()
        try:
            if self._worker:
                self._worker.wake()
            yield self._worker
            if self._worker:
                self._worker.pause()
        except Failure as failure:
            self.keep(outcome=failure.outcome)
            self.close()
        finally:
            self.keep(wall_s=self._spent_s())
        if not self.trial.outcome.ok:
            self._observer.trial_failed(self.trial)

    def _spent_s(self) -> float:
        return self.trial.wall_s + time.monotonic() - self._woken

    def _fresh(self) -> Worker:
        return self._start_worker(self._contestant.invocation, self._settings.memory_limit)

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
        self.keep(warmup_steps=1 + warm.steps, warmup_s=first_s + warm.wall_s)
        if warm.cut:
            self._note(messages.few_warmup_steps(1 + warm.steps))
        return warm.step_s

    def _watched_block(self, worker: Worker) -> Block:
        """A block, and what the rest of the machine did meanwhile."""
        joules, before, cpu_s = energy.reading(), background.reading(), worker.cpu_s()
        start = time.monotonic()
        block = self._block(self._steps, self.block_s, SETTLING_STEPS)
        wall_s, own_s, after = (
            time.monotonic() - start,
            worker.cpu_s() - cpu_s,
            background.reading(),
        )
        self._turns_cpu_s += own_s
        self._turns_s += wall_s
        if joules and (now := energy.reading()) and (used := energy.joules(joules, now)):
            # Settling used its part of them, and does not count.
            block = replace(block, energy_j=used * block.steps / (block.steps + SETTLING_STEPS))
        others = background.load(before, after, own_s)
        if others is None or after is None:
            return block
        return replace(
            block, background_load=others, disturbed=self._is_disturbed(others, wall_s, after)
        )

    def _is_disturbed(
        self, others: float, wall_s: float, after: background.ProcessorReading
    ) -> bool:
        """Whether others took more than they usually seem to in its blocks.

        Seem to: threads that sleep and wake all the time cost a virtual machine processor time that
        nobody is charged for, block after block. The first blocks show what is usual.
        """
        seen = [
            block.background_load
            for block in self.trial.blocks
            if block.background_load is not None
        ]
        if len(seen) < USUAL_FROM:
            return False
        usual = statistics.median(seen)
        return background.disturbed(others - usual, wall_s, after.processors)

    def _look_closely(self, worker: Worker) -> None:
        """One more block that does not count, so that looking disturbs nothing."""
        seen: list[int] = []

        def look() -> None:
            if (count := running.running(worker.pids())) is not None:
                seen.append(count)

        worker.request("block", self._patience_s(self.block_s), look=look, steps=self._steps)
        self.keep(
            unique_bytes=unique_memory.unique(worker.pids()),
            running_threads=statistics.median(seen) if seen else None,
            gpu_bytes=gpu.memory(worker.pids()),
        )

    def _choose_steps(self) -> int:
        chosen = block_length(self._block, self._settings, self._step_s)
        self._count_as_warmup(chosen.tried_steps, chosen.tried_s)
        return chosen.steps

    def _count_as_warmup(self, steps: int, wall_s: float) -> None:
        self.keep(
            warmup_steps=self.trial.warmup_steps + steps, warmup_s=self.trial.warmup_s + wall_s
        )

    def _check_threads(self) -> None:
        blocks, asked = self.trial.blocks, self._contestant.invocation.threads
        cpu_s, wall_s = sum(b.cpu_s for b in blocks), sum(b.wall_s for b in blocks)
        if excess := threads.excess(cpu_s, wall_s, self.trial.running_threads, asked):
            self._note(excess)

    def _deploy(self, worker: Worker, folder: Path) -> DeploymentRun:
        """After the last block, where nothing can disturb it: feeding, then predicting and saving.

        Each answer may take as long as a whole trial, and what goes wrong costs it nothing.
        """
        patience_s = self._assignment.timeout_s
        steps, workers = self.trial.blocks[0].steps, self._settings.feed_workers
        self.keep(feeding=feeding.measure(worker, steps, 0, patience_s))
        if workers:
            self.keep(worked_feeding=feeding.measure(worker, steps, workers, patience_s))
        deployed = DeploymentRun(self._contestant, folder, patience_s)
        deployed.in_its_process(worker)
        return deployed

    def _block(self, steps: int, expected_s: float, settle: int = 0) -> Block:
        patience_s = self._patience_s(expected_s)
        return Block(**self._ask("block", patience_s, steps=steps, settle=settle))

    def _patience_s(self, expected_s: float) -> float:
        return max(HANGING_S, HANGING * expected_s)

    def _ask(self, do: str, at_most_s: float = float("inf"), **fields: Any) -> dict[str, Any]:
        assert self._worker is not None
        left = max(0.0, self._assignment.timeout_s - self._spent_s())
        try:
            return self._worker.request(do, min(left, at_most_s), **fields)
        except Failure as failure:
            if failure.outcome.status == "timed-out" and left < at_most_s:
                reason = messages.trial_too_slow(do, self._assignment.timeout_s)
                raise Failure(replace(failure.outcome, reason=reason)) from failure
            raise

    def _note(self, text: str) -> None:
        self.keep(notes=(*self.trial.notes, text))
