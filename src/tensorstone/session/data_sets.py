"""Real data sets, as a person asks for them: got and listed; a row for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tensorstone.data import getting, kept, listing
from tensorstone.data.sets import SETS, find
from tensorstone.data.sets.dataset import DataSet
from tensorstone.support.errors import StoneError
from tensorstone.support.progress import Progress

Row = dict[str, Any]


def chosen(names: Sequence[str]) -> list[DataSet]:
    """The data sets of these names; `all` is every one."""
    if not names:
        raise StoneError("no data set is named", f"name some of {', '.join(SETS)}, or all")
    return list(SETS.values()) if "all" in names else [find(name) for name in dict.fromkeys(names)]


def get(
    names: Sequence[str],
    mirror: Path | None,
    progress: Callable[[], Progress],
    tell: Callable[[str], None],
) -> Iterator[Row]:
    """Get them one after another; `tell` hears a line about every source passed over."""
    for data_set in chosen(names):
        yield _row(data_set, getting.get(data_set, mirror, progress(), tell))


def listed() -> list[Row]:
    return listing.rows()


def homepage(name: str) -> str:
    """The page where a person gets the files themselves."""
    return find(name).homepage


def _row(data_set: DataSet, got: getting.Got) -> Row:
    here = got.state != "failed"
    return asdict(got) | {
        "checksum": data_set.checksum if here else None,
        "path": str(kept.folder(data_set)) if here else None,
    }
