"""CIFAR-10's images: its own binary batches, or sheets of PNG with one image in every row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tensorstone.data import messages
from tensorstone.data.content import Arrays
from tensorstone.data.formats.unpacking import members, pick, read
from tensorstone.data.refused import DataRefused

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SIDE = 32
PIXELS = SIDE * SIDE
BINARY = "cifar-10-binary.tar.gz"
_BATCHES = [f"data_batch_{number}" for number in range(1, 6)]
_SHEETS = {"train": [f"{name}.png" for name in _BATCHES], "test": ["test_batch.png"]}
_LABELS = {"train": "train_lables.json", "test": "test_lables.json"}  # so they are spelt there
SHEET_FILES = (*_SHEETS["train"], *_SHEETS["test"], *_LABELS.values())


def decode(folder: Path, most: int) -> Arrays:
    """Images samples × 3 × 32 × 32 and labels, from whichever form is there."""
    if (folder / BINARY).is_file():
        return _binary(folder / BINARY, most)
    if (folder / SHEET_FILES[0]).is_file():
        return _sheets(folder, most)
    raise DataRefused(messages.not_there([BINARY, SHEET_FILES[0]]))


def _binary(path: Path, most: int) -> Arrays:
    """Batches of records: a byte of label, then the red, green and blue pixels."""
    import numpy as np

    batches: dict[str, NDArray[np.uint8]] = {}
    for name, content in members(path, most):
        if name.suffix == ".bin":
            batches[name.stem] = np.frombuffer(content.read(), np.uint8)
    found: dict[str, NDArray[Any]] = {}
    for part, names in (("train", _BATCHES), ("test", ["test_batch"])):
        missing = [name for name in names if name not in batches]
        if missing:
            raise DataRefused(messages.lacks(path.name, f"{missing[0]}.bin"))
        flat = np.concatenate([batches[name] for name in names])
        if flat.size % (1 + 3 * PIXELS):
            raise DataRefused(messages.cut_image(path.name))
        records = flat.reshape(-1, 1 + 3 * PIXELS)
        found[f"{part}_x"] = records[:, 1:].reshape(-1, 3, SIDE, SIDE)
        found[f"{part}_y"] = records[:, 0].astype(np.int64)
    return found


def _sheets(folder: Path, most: int) -> Arrays:
    import numpy as np

    found: dict[str, NDArray[Any]] = {}
    for part, names in _SHEETS.items():
        images = np.concatenate([_sheet(pick(folder, name), most) for name in names])
        labels = json.loads(read(pick(folder, _LABELS[part]), most))
        if len(labels) != len(images):
            counts = len(labels), len(images)
            raise DataRefused(messages.labels_differ(_LABELS[part], *counts))
        found[f"{part}_x"] = images
        found[f"{part}_y"] = np.array(labels, np.int64)
    return found


def _sheet(path: Path, most: int) -> NDArray[np.uint8]:
    """Each row is an image, pixel after pixel of red, green and blue."""
    import numpy as np
    from PIL import Image

    with Image.open(path, formats=["PNG"]) as sheet:  # reads the header; the pixels come later
        width, height = sheet.size
        if sheet.mode != "RGB" or width != PIXELS or 3 * width * height > most:
            raise DataRefused(messages.no_sheet(path.name, width, height, sheet.mode))
        pixels = np.asarray(sheet)
    return pixels.reshape(height, SIDE, SIDE, 3).transpose(0, 3, 1, 2)
