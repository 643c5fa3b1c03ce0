"""Who watches while a person waits: what an orchestration says, and to whom."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from tensorstone.models.workload import Workload
from tensorstone.results.comparison import Assembled
from tensorstone.results.events import Observer, SilentObserver
from tensorstone.results.settings import TrainingSettings
from tensorstone.support import progress
from tensorstone.support.progress import Progress


class ProofWatch(Protocol):
    """Hears which cells are being proven and how each ended."""

    def started(self, cell: str) -> None: ...

    def ended(self, cell: str, status: str) -> None: ...


class Watch(Protocol):
    """Hears everything one command does."""

    @property
    def installing(self) -> Progress: ...

    def proofs(self, total: int) -> AbstractContextManager[ProofWatch]: ...

    def race(self, label: str, budget_s: float) -> AbstractContextManager[Observer]: ...

    def trainings(
        self, workload: Workload, settings: TrainingSettings
    ) -> AbstractContextManager[Observer]: ...

    def done(self, result: Assembled) -> None:
        """One run is complete: it can be shown while the next begins."""


class Unwatched:
    """Nobody is watching."""

    installing: Progress = progress.NoProgress()

    @contextmanager
    def proofs(self, total: int) -> Iterator[ProofWatch]:
        yield SilentProofs()

    @contextmanager
    def race(self, label: str, budget_s: float) -> Iterator[Observer]:
        yield SilentObserver()

    @contextmanager
    def trainings(self, workload: Workload, settings: TrainingSettings) -> Iterator[Observer]:
        yield SilentObserver()

    def done(self, result: Assembled) -> None:
        pass


class SilentProofs:
    def started(self, cell: str) -> None:
        pass

    def ended(self, cell: str, status: str) -> None:
        pass
