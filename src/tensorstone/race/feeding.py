"""How fast a program's own loader delivers batches without training, beside plain slices."""

from __future__ import annotations

from tensorstone.results.trial import Feeding
from tensorstone.runtime.failure import Failure
from tensorstone.runtime.process import Worker

TIMES = 3
# A block of a slow model is a step or two, which would show the loader's start alone; one of a
# quick model is many thousands, which would take longer to feed than there is to be learnt.
FEWEST_BATCHES, MOST_BATCHES = 8, 1024


def measure(worker: Worker, steps: int, workers: int, timeout_s: float) -> Feeding:
    """Ask a worker to iterate its batches without training, about as many as one block has."""
    batches = min(max(steps, FEWEST_BATCHES), MOST_BATCHES)
    try:
        found = worker.request("iterate", timeout_s, steps=batches, times=TIMES, workers=workers)
    except Failure as failure:
        return Feeding(absent=f"{failure.outcome.status}: {failure.outcome.reason}")
    if "absent" in found:
        return Feeding(absent=found["absent"])
    return Feeding(
        batches=found["batches"],
        walls_s=tuple(found["walls_s"]),
        slices=found["slices"],
        slice_walls_s=tuple(found["slice_walls_s"]),
    )
