"""The archive of film reviews, one text file each: aclImdb/train/pos/127_9.txt.

Texts become two arrays: all their bytes (UTF-8) after one another, and where each ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tensorstone.data import messages
from tensorstone.data.content import Arrays
from tensorstone.data.formats.unpacking import members, pick
from tensorstone.data.refused import DataRefused

if TYPE_CHECKING:
    from numpy.typing import NDArray

FILES = ("aclImdb_v1.tar.gz", "aclImdb_labelled.tar.xz")
PARTS = ("train", "test")
OPINIONS = ("neg", "pos")  # labels 0 and 1


def decode(folder: Path, most: int) -> Arrays:
    """Negative reviews, then positive ones, each sorted by the names of their files."""
    import numpy as np

    path = pick(folder, *FILES)
    texts: dict[tuple[str, ...], dict[str, bytes]] = {
        (part, opinion): {} for part in PARTS for opinion in OPINIONS
    }
    for name, content in members(path, most):
        group = texts.get(name.parts[-3:-1])
        if group is not None and name.suffix == ".txt":
            group[name.name] = content.read()
    found: dict[str, NDArray[Any]] = {}
    for part in PARTS:
        grouped = [texts[part, opinion] for opinion in OPINIONS]
        if not all(grouped):
            raise DataRefused(messages.no_reviews(path.name, part))
        ordered = [group[name] for group in grouped for name in sorted(group)]
        for text in ordered:
            text.decode("utf-8")  # what is not UTF-8 is damage
        found[f"{part}_text"] = np.frombuffer(b"".join(ordered), np.uint8)
        found[f"{part}_ends"] = np.cumsum([len(text) for text in ordered], dtype=np.int64)
        found[f"{part}_y"] = np.repeat(np.arange(2, dtype=np.int64), [len(g) for g in grouped])
    return found


def texts(arrays: Arrays, part: str) -> Iterator[str]:
    """The texts of "train" or "test" again."""
    joined = arrays[f"{part}_text"].tobytes()
    start = 0
    for end in arrays[f"{part}_ends"].tolist():
        yield joined[start:end].decode("utf-8")
        start = end
