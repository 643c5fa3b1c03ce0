"""Workloads asked for together: results are kept by name, so one name means one workload."""

from __future__ import annotations

from collections.abc import Sequence

from tensorstone.models.workload import Workload
from tensorstone.support.errors import StoneError


def distinct(workloads: Sequence[Workload]) -> list[Workload]:
    """Each once. Two different ones of one name are a mistake said before any work."""
    found: dict[str, Workload] = {}
    for workload in workloads:
        known = found.setdefault(workload.name, workload)
        if known != workload:
            raise StoneError(
                f"two different workloads are called {workload.name!r}",
                "give one of them another name: Workload(name=…); results are kept by name",
            )
    return list(found.values())
