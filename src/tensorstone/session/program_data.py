"""Real data as an emitted program's `__main__` reads it: one .npz of four arrays."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tensorstone.data.real import GENERATED, PREPARED, real
from tensorstone.dialects.registry import Dialect, lookup
from tensorstone.models.load import find, names
from tensorstone.models.workload import Workload
from tensorstone.session import messages
from tensorstone.support.errors import StoneError
from tensorstone.support.messages import file_not_written
from tensorstone.support.naming import did_you_mean, same_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

CHANNELS_FIRST = "NCHW"


@dataclass(frozen=True)
class Exported:
    """What was written, and how it was made."""

    data: str
    workload: str
    file: str
    layout: str  # of images: NCHW or NHWC
    train_samples: int
    test_samples: int
    bytes: int
    note: str


def set_name(word: str) -> str:
    """The data set a person means."""
    known = [*PREPARED, *GENERATED]
    if name := same_name(word, known):
        return name
    raise StoneError(*messages.no_data_set(word, did_you_mean(word, known)))


def reader(name: str) -> Workload:
    """The catalogue's first workload that reads this set."""
    for one in names():
        workload = find(one)
        if workload.data.name == name:
            return workload
    raise StoneError(*messages.nobody_reads(name))


def exported(name: str, path: Path, to: str = "", workload: str = "") -> Exported:
    """Write a set as a workload reads it; `to` is the dialect whose programs will."""
    from tensorstone.session.asking import dialects

    known = set_name(name)
    chosen = find(workload) if workload else reader(known)
    if chosen.data.name != known:
        raise StoneError(*messages.reads_another(chosen.name, chosen.data.name, known))
    return export(chosen, path, dialects([to])[0] if to else None)


def export(workload: Workload, path: Path, dialect: Dialect | None = None) -> Exported:
    """Write the workload's real samples, images in the order of axes that the dialect reads."""
    import numpy as np

    layout = lookup(dialect.framework).layout if dialect else CHANNELS_FIRST
    data = real(workload)
    arrays = {
        "x_train": _in(layout, data.train.x),
        "y_train": _in(layout, data.train.y),
        "x_test": _in(layout, data.test.x),
        "y_test": _in(layout, data.test.y),
    }
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]
        size = part.stat().st_size
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise StoneError(*file_not_written(path, error.strerror)) from None
    return Exported(
        data=workload.data.name,
        workload=workload.name,
        file=str(path),
        layout=layout,
        train_samples=len(data.train),
        test_samples=len(data.test),
        bytes=size,
        note=data.note,
    )


def _in(layout: str, array: NDArray[Any]) -> NDArray[Any]:
    """Only arrays of images have four axes."""
    if layout == CHANNELS_FIRST or array.ndim != 4:
        return array
    return array.transpose(0, 2, 3, 1)
