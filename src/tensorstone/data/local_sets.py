"""Data sets on this disk: a folder for each, a file for each array, a marker that it is whole."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from tensorstone.data import messages
from tensorstone.data.content import Arrays, checksum
from tensorstone.data.sets.dataset import DataSet
from tensorstone.support import folders
from tensorstone.support.errors import StoneError

MARKER = "complete.json"


@dataclass(frozen=True)
class Kept:
    """A set that is there; `files` has every array's size in bytes, header included."""

    path: Path
    source: str
    files: dict[str, int]

    @property
    def bytes(self) -> int:
        return sum(self.files.values())


def folder(data_set: DataSet) -> Path:
    """The folder of this set, whether it is there or not."""
    return folders.sets_dir() / data_set.name


def find(data_set: DataSet) -> Kept | None:
    """The set if it looks whole. Its content is looked at by `load` and `whole` only."""
    path = folder(data_set)
    try:
        said = json.loads((path / MARKER).read_text(encoding="utf-8"))
        found = Kept(path, said["source"], said["files"])
        sizes = {name: (path / name).stat().st_size for name in found.files}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return found if said.get("checksum") == data_set.checksum and sizes == found.files else None


def whole(data_set: DataSet) -> Kept | None:
    """The set if its content is what it should be, to the last bit."""
    found = find(data_set)
    if found is None:
        return None
    try:
        return found if checksum(_mapped(found)) == data_set.checksum else None
    except (OSError, ValueError):
        return None


def load(data_set: DataSet) -> Arrays:
    """Its arrays, mapped from disk and checked."""
    if find(data_set) is None:
        raise StoneError(*messages.not_here(data_set.name))
    found = whole(data_set)
    if found is None:
        raise StoneError(*messages.damaged(data_set.name))
    return _mapped(found)


def keep(data_set: DataSet, arrays: Arrays, source: str, scratch: Path) -> Kept:
    """Write the set in `scratch`, which is on the same disk, and put it in place in one step.

    Only whoever holds the set's lock may call this.
    """
    import numpy as np

    draft = scratch / "kept"
    draft.mkdir()
    for name, array in arrays.items():
        np.save(draft / f"{name}.npy", np.ascontiguousarray(array), allow_pickle=False)
    files = {file.name: file.stat().st_size for file in sorted(draft.iterdir())}
    said = {"checksum": data_set.checksum, "source": source, "files": files}
    (draft / MARKER).write_text(json.dumps(said, indent=2), encoding="utf-8")
    path = folder(data_set)
    if path.exists():  # and is damaged
        shutil.rmtree(path)
    draft.rename(path)
    return Kept(path, source, files)


def _mapped(found: Kept) -> Arrays:
    import numpy as np

    return {
        Path(name).stem: np.load(found.path / name, mmap_mode="r", allow_pickle=False)
        for name in found.files
    }
