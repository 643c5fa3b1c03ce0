"""The real data of a workload: `real(workload)`."""

from __future__ import annotations

from collections.abc import Callable

from tensorstone.data import local_sets, messages
from tensorstone.data.content import Arrays
from tensorstone.data.prepared import images, linear, series, text
from tensorstone.data.prepared.split import Real, Split
from tensorstone.data.sets import SETS
from tensorstone.models.workload import Workload
from tensorstone.support.errors import StoneError

__all__ = ["Real", "Split", "available", "real"]

GENERATED: dict[str, Callable[[Workload], Real]] = {"linear": linear.prepare}
PREPARED: dict[str, Callable[[Workload, Arrays], Real]] = {
    "mnist": images.prepare,
    "fashion-mnist": images.prepare,
    "cifar10": images.prepare,
    "imdb": text.prepare,
    "beijing-pm25": series.prepare,
}


def real(workload: Workload) -> Real:
    """What this workload trains and is judged on; its set must be on this machine."""
    name = workload.data.name
    if name in GENERATED:
        return GENERATED[name](workload)
    if name not in PREPARED:
        known = [*PREPARED, *GENERATED]
        raise StoneError(*messages.no_real_data(workload.name, name, known))
    return PREPARED[name](workload, local_sets.load(SETS[name]))


def available(workload: Workload) -> bool:
    """Whether `real` would find this workload's set; nothing is read."""
    name = workload.data.name
    return name in GENERATED or (name in PREPARED and local_sets.find(SETS[name]) is not None)
