"""What there is of data, and what of it is on this machine."""

from __future__ import annotations

from typing import Any

from tensorstone.data import local_sets
from tensorstone.data.sets import SETS
from tensorstone.data.sets.dataset import DataSet


def rows() -> list[dict[str, Any]]:
    """A row for every set; nothing is read but what says that a set is whole."""
    return [_row(data_set) for data_set in SETS.values()]


def _row(data_set: DataSet) -> dict[str, Any]:
    found = local_sets.find(data_set)
    return {
        "name": data_set.name,
        "what": data_set.title,
        "there": found is not None,
        "bytes": found.bytes if found else data_set.kept_bytes,
        "sources": [source.name for source in data_set.sources],
    }
