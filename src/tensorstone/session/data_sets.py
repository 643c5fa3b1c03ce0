"""Real data sets, as a person asks for them: got and listed; a row for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tensorstone.data import getting, listing, local_sets
from tensorstone.data.real import GENERATED
from tensorstone.data.sets import SETS, find
from tensorstone.data.sets.dataset import DataSet
from tensorstone.support.errors import StoneError
from tensorstone.support.naming import folded, same_name
from tensorstone.support.progress import Progress

Row = dict[str, Any]
ABSENT: Row = {"checksum": None, "path": None}


def chosen(names: Sequence[str]) -> list[DataSet]:
    """The data sets of these names, those that are generated left out; `all` is every one."""
    if not names:
        raise StoneError("no data set is named", f"name some of {', '.join(SETS)}, or all")
    if "all" in map(folded, names):
        return list(SETS.values())
    found = [find(name) for name in names if not _generated(name)]
    return list({data_set.name: data_set for data_set in found}.values())


def _generated(name: str) -> str | None:
    """The name of a set that is made when it is used."""
    return same_name(name, GENERATED)


def get(
    names: Sequence[str],
    mirror: Path | None,
    progress: Callable[[], Progress],
    tell: Callable[[str], None],
) -> Iterator[Row]:
    """Get them one after another; `tell` hears a line about every source passed over."""
    wanted = chosen(names)
    for name in dict.fromkeys(filter(None, map(_generated, names))):
        yield asdict(getting.Got(name, "generated", "", (), 0, 0.0)) | ABSENT
    for data_set in wanted:
        yield _row(data_set, getting.get(data_set, mirror, progress(), tell))


def listed() -> list[Row]:
    return listing.rows()


def homepage(name: str) -> str:
    """The page where a person gets the files themselves."""
    return find(name).homepage


def _row(data_set: DataSet, got: getting.Got) -> Row:
    if got.state == "failed":
        return asdict(got) | ABSENT
    place = {"checksum": data_set.checksum, "path": str(local_sets.folder(data_set))}
    return asdict(got) | place
