"""The one checksum of a data set: of its decoded arrays, whatever they were decoded from."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

Arrays = Mapping[str, "NDArray[Any]"]


def checksum(arrays: Arrays) -> str:
    """SHA-256 over name, type, shape and bytes of each array, in the order of their names."""
    import numpy as np

    total = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        total.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        total.update(array.data)
    return total.hexdigest()
