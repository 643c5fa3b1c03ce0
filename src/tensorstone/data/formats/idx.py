"""idx files: a small header (type, sides), then the bytes; MNIST's own format."""

from __future__ import annotations

import math
import struct
from pathlib import Path
from typing import TYPE_CHECKING

from tensorstone.data import messages
from tensorstone.data.content import Arrays
from tensorstone.data.formats.unpacking import pick, read
from tensorstone.data.refused import DataRefused

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BYTES = 8  # the header's word for unsigned bytes
_PARTS = {
    "train_x": "train-images-idx3-ubyte",
    "train_y": "train-labels-idx1-ubyte",
    "test_x": "t10k-images-idx3-ubyte",
    "test_y": "t10k-labels-idx1-ubyte",
}
PACKED = tuple(f"{name}.gz" for name in _PARTS.values())
FILES = (*_PARTS.values(), *PACKED)


def decode(folder: Path, most: int) -> Arrays:
    """Images samples × 1 × height × width and labels, from four idx files, packed or not."""
    import numpy as np

    found = {}
    for part, name in _PARTS.items():
        path = pick(folder, name, f"{name}.gz")
        array = parse(read(path, most), path.name)
        found[part] = array[:, None] if part.endswith("x") else array.astype(np.int64)
    return found


def parse(content: bytes, name: str) -> NDArray[np.uint8]:
    """The array of unsigned bytes an idx file holds."""
    import numpy as np

    if len(content) < 4 or content[:3] != bytes((0, 0, _BYTES)):
        raise DataRefused(messages.not_idx(name))
    sides = content[3]
    start = 4 + 4 * sides
    if len(content) < start:
        raise DataRefused(messages.cut_header(name))
    shape = struct.unpack(f">{sides}I", content[4:start])
    if len(content) != start + math.prod(shape):
        raise DataRefused(messages.wrong_length(name, len(content) - start, math.prod(shape)))
    return np.frombuffer(content, np.uint8, offset=start).reshape(shape)
