"""Made-up data sets of a few samples, in the formats the real ones come in."""

from __future__ import annotations

import gzip
import io
import json
import struct
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from tensorstone.data.content import checksum
from tensorstone.data.formats import cifar, hourly, idx, reviews
from tensorstone.data.refused import DataRefused
from tensorstone.data.sets import SETS
from tensorstone.data.sets.dataset import DataSet
from tensorstone.data.sources.source import Source
from tensorstone.support.progress import Progress

TRAIN, TEST = 12, 5
REVIEWS = {
    "train/neg/0_1.txt": "Bad, bad film.<br /><br />It's bad",
    "train/neg/10_2.txt": "Worse than 'bad' — naïve",
    "train/neg/9_2.txt": "",
    "train/pos/0_9.txt": "Good film! GOOD",
    "test/neg/0_1.txt": "so bad",
    "test/pos/0_7.txt": "good enough",
    "train/unsup/0_0.txt": "nobody said what this is",
}
CSV = """No,year,month,day,hour,pm2.5,DEWP,TEMP,PRES,cbwd,Iws,Is,Ir
1,2010,1,1,0,NA,-21,-11,1021,NW,1.79,0,0
2,2010,1,1,1,129,-20.5,-12,1020,cv,4.92,1,2
3,2010,1,1,2,148,-21,-11,1019,SE,6.71,0,0
"""


def images(sides: tuple[int, ...], count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Random pixels and labels."""
    generator = np.random.default_rng(seed)
    x = generator.integers(0, 256, (count, *sides), dtype=np.uint8)
    return x, generator.integers(0, 10, count).astype(np.int64)


def idx_bytes(array: np.ndarray) -> bytes:
    header = bytes((0, 0, 8, array.ndim)) + struct.pack(f">{array.ndim}I", *array.shape)
    return header + array.astype(np.uint8).tobytes()


def write_idx(folder: Path, packed: bool = True, seed: int = 0) -> None:
    """The four files of a tiny MNIST."""
    folder.mkdir(parents=True, exist_ok=True)
    train, test = images((28, 28), TRAIN, seed), images((28, 28), TEST, seed + 1)
    names = ("train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1")
    for name, array in zip(names, (*train, *test), strict=True):
        content = idx_bytes(array)
        path = folder / f"{name}-ubyte{'.gz' if packed else ''}"
        path.write_bytes(gzip.compress(content) if packed else content)


def tar(path: Path, files: Mapping[str, bytes], mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


def write_reviews(folder: Path, name: str = reviews.FILES[0], mode: str = "w:gz") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    files = {f"aclImdb/{place}": text.encode() for place, text in REVIEWS.items()}
    return tar(folder / name, {**files, "aclImdb/train/pos/urls.feat": b"1:2"}, mode)


def write_sheets(folder: Path, per_batch: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """A tiny CIFAR-10 in PNG sheets; the training images (samples, 3, 32, 32) and labels."""
    from PIL import Image

    train, labels = images((3, 32, 32), 5 * per_batch, seed=3)
    test, test_labels = images((3, 32, 32), per_batch, seed=4)
    for number, batch in enumerate([*np.split(train, 5), test], 1):
        sheet = batch.transpose(0, 2, 3, 1).reshape(per_batch, 1024, 3)
        name = f"data_batch_{number}.png" if number < 6 else "test_batch.png"
        Image.fromarray(sheet).save(folder / name)
    (folder / "train_lables.json").write_text(json.dumps(labels.tolist()))
    (folder / "test_lables.json").write_text(json.dumps(test_labels.tolist()))
    return train, labels


def write_batches(folder: Path, per_batch: int = 3) -> None:
    """The same tiny CIFAR-10 in its own binary batches."""
    train, labels = images((3, 32, 32), 5 * per_batch, seed=3)
    test, test_labels = images((3, 32, 32), per_batch, seed=4)
    batches = [*zip(np.split(train, 5), np.split(labels, 5), strict=True), (test, test_labels)]
    files = {}
    for number, (x, y) in enumerate(batches, 1):
        rows = np.concatenate([y[:, None].astype(np.uint8), x.reshape(per_batch, -1)], axis=1)
        name = f"data_batch_{number}" if number < 6 else "test_batch"
        files[f"cifar-10-batches-bin/{name}.bin"] = rows.tobytes()
    tar(folder / cifar.BINARY, files)


@dataclass(frozen=True)
class Fake:
    """A source that has the files already, or says why not."""

    name: str
    folder: Path | None
    reason: str = ""
    fetched_bytes: int = 1000
    asked: list[str] = field(default_factory=list, compare=False)

    def fetch(self, scratch: Path, progress: Progress, most: int) -> Path:
        self.asked.append(self.name)
        if self.folder is None:
            raise DataRefused(self.reason)
        return self.folder


def tiny_mnist(folder: Path, *sources: Source) -> DataSet:
    """A set of these sources whose checksum is that of what is in `folder`."""
    real = checksum(idx.decode(folder, 10**6))
    return replace(SETS["mnist"], checksum=real, most=10**6, sources=sources)


def fill_mirror(mirror: Path) -> None:
    """A mirror with all that `become_tiny` makes the registry expect."""
    write_idx(mirror / "mnist")
    write_reviews(mirror)
    (mirror / hourly.FILES[1]).write_text(CSV)


def become_tiny(mirror: Path) -> None:
    """Make the registry of this process one of tiny sets, to be had from a mirror only."""
    places = {"mnist": mirror / "mnist", "imdb": mirror, "beijing-pm25": mirror}
    for name, folder in places.items():
        real = checksum(SETS[name].decode(folder, 10**6))
        SETS[name] = replace(SETS[name], checksum=real, sources=())
    for name in ("cifar10", "fashion-mnist"):
        SETS[name] = replace(SETS[name], sources=(Fake("nowhere", None, "not today"),))
