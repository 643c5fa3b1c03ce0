"""The null room: a program that computes nothing, to measure the harness alone."""

from __future__ import annotations

from tensorstone.dialects.registry import Dialect
from tensorstone.models.workload import Workload


def describe(workload: Workload, dialect: Dialect) -> dict[str, object]:
    return {}
