"""Getting a data set: sources in order, until one's decoded content has the right checksum."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tensorstone.data import local_sets, messages
from tensorstone.data.content import Arrays, checksum
from tensorstone.data.formats.unpacking import DAMAGE
from tensorstone.data.local_sets import Kept
from tensorstone.data.refused import DataRefused
from tensorstone.data.sets.dataset import DataSet
from tensorstone.data.sources.mirror import Mirror
from tensorstone.data.sources.source import Source
from tensorstone.support import folders
from tensorstone.support.errors import StoneError
from tensorstone.support.file_lock import file_locked
from tensorstone.support.progress import Progress, shown

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Tried:
    """A source that was passed over, and why."""

    source: str
    reason: str


@dataclass(frozen=True)
class Got:
    """How it ended; `source` is where the set came from, now or earlier."""

    name: str
    state: Literal["got", "already-there", "generated", "failed"]
    source: str
    tried: tuple[Tried, ...]
    bytes: int
    seconds: float


def get(data_set: DataSet, mirror: Path | None, progress: Progress, tell: Tell) -> Got:
    """Have the set on this disk, checked; `tell` hears a line about every source passed over."""
    began = time.monotonic()
    tried: list[Tried] = []
    with _held(data_set, tell):
        found, state = local_sets.whole(data_set), "already-there"
        if found is None:
            if local_sets.folder(data_set).exists():
                tell(messages.getting_again(data_set.name))
            found, state = _from_any(data_set, mirror, progress, tell, tried), "got"
    return Got(
        name=data_set.name,
        state=state if found else "failed",  # type: ignore[arg-type]
        source=found.source if found else "",
        tried=tuple(tried),
        bytes=found.bytes if found else 0,
        seconds=time.monotonic() - began,
    )


def _from_any(
    data_set: DataSet, mirror: Path | None, progress: Progress, tell: Tell, tried: list[Tried]
) -> Kept | None:
    first = [Mirror(mirror, data_set.name)] if mirror else []
    for source in (*first, *data_set.sources):
        with _scratch(data_set) as scratch:
            try:
                arrays = _decoded(data_set, source, scratch, progress)
            except DataRefused as refusal:
                tried.append(Tried(source.name, str(refusal)))
                tell(messages.passed_over(data_set.name, source.name, refusal))
                continue
            try:
                return local_sets.keep(data_set, arrays, source.name, scratch)
            except OSError as error:
                where = local_sets.folder(data_set)
                message = messages.cannot_keep(data_set.name, where, error.strerror)
                raise StoneError(*message) from None
    return None


def _decoded(data_set: DataSet, source: Source, scratch: Path, progress: Progress) -> Arrays:
    """The content a source has; what is not the set's own content is refused."""
    with shown(progress, f"{data_set.name} from {source.name}", source.fetched_bytes):
        folder = source.fetch(scratch, progress, data_set.most)
        progress.advance(source.fetched_bytes, "decoding")
        try:
            arrays = data_set.decode(folder, data_set.most)
        except DAMAGE as error:
            raise DataRefused(messages.files_not_read(error)) from error
    found = checksum(arrays)
    if found != data_set.checksum:
        raise DataRefused(messages.wrong_checksum(found, data_set.checksum))
    return arrays


@contextmanager
def _held(data_set: DataSet, tell: Tell) -> Iterator[None]:
    """One process at a time; what a killed one left behind is cleared away."""

    @contextmanager
    def waiting() -> Iterator[None]:
        tell(messages.waiting(data_set.name))
        yield

    folder = folders.sets_dir()
    with file_locked(folder / f".{data_set.name}.lock", waiting()):
        for left in folder.glob(f".{data_set.name}.part-*"):
            shutil.rmtree(left, ignore_errors=True)
        yield


@contextmanager
def _scratch(data_set: DataSet) -> Iterator[Path]:
    prefix = f".{data_set.name}.part-"
    with tempfile.TemporaryDirectory(prefix=prefix, dir=folders.sets_dir()) as scratch:
        yield Path(scratch)
