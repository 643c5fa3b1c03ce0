"""Random correct workloads, each known by its seed: those of the tests (tests/strategies.py)."""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings

from tensorstone.models.workload import Workload

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))

from strategies import recurrent_workloads, workloads

RECURRENT = 3  # every third is over a sequence
DRAWN = 2  # of each seed: the first that hypothesis draws is the least there is
_quick = settings(
    max_examples=DRAWN,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def random_workload(number: int) -> Workload:
    """The same for the same number, with the same version of hypothesis."""
    found: list[Workload] = []

    @_quick
    @seed(number)
    @given(recurrent_workloads() if number % RECURRENT == 0 else workloads())
    def draw(workload: Workload) -> None:
        found.append(workload)

    draw()
    return found[-1]
