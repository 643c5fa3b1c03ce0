"""Deployment: a trained net predicts and is saved; a fresh process loads it and predicts.

Batches are timed before saving, single samples after the load: a process that serves one size of
batch is what is met in use, and compilers that specialise on it are not made to generalise.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from tensorstone.analysis.reloading import INCOMPARABLE
from tensorstone.race.plan import Contestant
from tensorstone.results.trial import Deployment
from tensorstone.runtime.failure import Failure
from tensorstone.runtime.files import read_arrays
from tensorstone.runtime.process import Worker

if TYPE_CHECKING:
    import numpy as np

# What is predicted before saving and after the load: enough to tell nets apart, and no more, since
# the slowest take seconds for each.
COMPARED_BATCHES = 2
BATCH_S, BATCH_CALLS = 0.3, 200
SINGLE_S, SINGLE_CALLS = 0.5, 1000


class DeploymentRun:
    """A deployment in the making, in two processes.

    No `Failure` comes out of it: the training it follows was measured and stays so. The failure is
    the deployment's outcome, beside all that was measured before it.
    """

    def __init__(self, contestant: Contestant, folder: Path, timeout_s: float) -> None:
        self.found = Deployment()
        self._contestant = contestant
        self._saved = folder / "saved"
        self._before, self._after = folder / "before.npz", folder / "after.npz"
        self._timeout_s = timeout_s  # of one answer

    def in_its_process(self, worker: Worker) -> None:
        """What the process that trained it does: predict, and save."""
        try:
            self._leave(worker)
        except Failure as failure:
            self._keep(outcome=failure.outcome)

    def in_a_fresh_one(self, start_worker: Callable[[], Worker]) -> None:
        """What another process does with what was saved: load, and predict."""
        if not self.found.outcome.ok:
            return
        try:
            with start_worker() as worker:
                self._return(worker)
        except Failure as failure:
            self._keep(outcome=failure.outcome)

    def _leave(self, worker: Worker) -> None:
        self._predict(worker, self._before)
        called = self._call(worker, self._contestant.batch, BATCH_S, BATCH_CALLS)
        self._keep(predict_s=tuple(called["calls_s"]))
        saved = self._ask(worker, "save", path=str(self._saved))
        self._keep(save_s=saved["wall_s"], saved_bytes=saved["bytes"])

    def _return(self, worker: Worker) -> None:
        self._ask(worker, "load", **self._contestant.loading)
        self._keep(load_s=self._ask(worker, "restore", path=str(self._saved))["wall_s"])
        called = self._call(worker, 1, SINGLE_S, SINGLE_CALLS)
        self._keep(first_predict_s=called["first_s"], latency_s=tuple(called["calls_s"]))
        self._predict(worker, self._after)
        self._keep(reload_error=self._difference())

    def _predict(self, worker: Worker, out: Path) -> None:
        """A few batches of the recipe's size, one at a time."""
        self._ask(
            worker,
            "evaluate",
            data=str(self._contestant.data),
            batch=self._contestant.batch,
            steps=COMPARED_BATCHES,
            out=str(out),
        )

    def _difference(self) -> float:
        before, after = (
            read_arrays(path, "evaluate", "outputs")["outputs"]
            for path in (self._before, self._after)
        )
        return difference(before, after)

    def _call(self, worker: Worker, batch: int, seconds: float, most: int) -> dict[str, Any]:
        data = str(self._contestant.data)
        return self._ask(worker, "calls", data=data, batch=batch, seconds=seconds, most=most)

    def _ask(self, worker: Worker, do: str, **fields: Any) -> dict[str, Any]:
        return worker.request(do, self._timeout_s, **fields)

    def _keep(self, **fields: Any) -> None:
        self.found = replace(self.found, **fields)


def difference(before: np.ndarray, after: np.ndarray) -> float:
    """The largest difference, relative to the largest value before. The same bits differ by 0,
    even where they are no numbers; what cannot be compared differs by `INCOMPARABLE`."""
    import numpy as np

    if np.array_equal(before, after, equal_nan=True):
        return 0.0
    if before.shape != after.shape:
        return INCOMPARABLE
    gap = np.abs(after.astype(np.float64) - before).max()
    scale = np.abs(before).max()
    found = float(gap / scale) if scale else INCOMPARABLE
    return found if np.isfinite(found) else INCOMPARABLE
