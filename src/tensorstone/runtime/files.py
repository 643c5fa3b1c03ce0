"""Files of arrays that a worker wrote: numbers and nothing else, or it failed."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from tensorstone.results.outcome import Outcome
from tensorstone.runtime import messages
from tensorstone.runtime.failure import Failure

if TYPE_CHECKING:
    import numpy as np

NUMBERS = "biuf"  # kinds of NumPy's types: bool, whole numbers, floats
_UNREADABLE = (OSError, EOFError, ValueError, MemoryError, zipfile.BadZipFile, zlib.error)


def read_arrays(path: Path, during: str, *wanted: str) -> dict[str, np.ndarray]:
    """The arrays by name, the `wanted` ones among them; `Failure` of the request `during` where
    they are not there, or hold anything but numbers."""
    import numpy as np

    if not path.is_file():  # nor a pipe, which would never end
        raise _failure(during, messages.NO_ARRAYS_WRITTEN)
    try:
        with np.load(path, allow_pickle=False) as stored:
            found = {name: np.asarray(stored[name]) for name in stored.files}
    except (*_UNREADABLE, TypeError) as error:  # the last: a single array, without names
        said = messages.PYTHON_OBJECTS if "allow_pickle" in str(error) else str(error)
        raise _failure(during, messages.not_arrays(said)) from error
    for name in wanted:
        if name not in found:
            raise _failure(during, messages.array_missing(name))
    for name, array in found.items():
        if array.dtype.kind not in NUMBERS:
            raise _failure(during, messages.not_numbers(name, array.dtype))
    return found


def _failure(during: str, said: str) -> Failure:
    return Failure(Outcome("failed", messages.failed(during, said)))
