"""Reading files that strangers packed: never more than promised, never outside, never a link."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zlib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, Any, BinaryIO, cast

from tensorstone.data import messages
from tensorstone.data.refused import DataRefused

# What reading a damaged or foreign file can raise.
DAMAGE = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError, tarfile.TarError)

_PACKERS: dict[bytes, Callable[[Path], Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\x00": lzma.open,
}


def pick(folder: Path, *names: str) -> Path:
    """The first of these files that is there."""
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise DataRefused(messages.not_there(names))


@contextmanager
def opened(path: Path, most: int) -> Iterator[BinaryIO]:
    """The file's bytes, unpacked if it is packed; the one after `most` is refused."""
    with path.open("rb") as plain:
        head = plain.read(8)
    plainly: Callable[[Path], Any] = partial(open, mode="rb")
    found = (opener for magic, opener in _PACKERS.items() if head.startswith(magic))
    with next(found, plainly)(path) as file:
        # io.BufferedReader never asks for more than its buffer, so a bomb stops at once.
        yield cast("BinaryIO", io.BufferedReader(_Limited(file, path.name, most)))


def read(path: Path, most: int) -> bytes:
    """All of the file, unpacked."""
    with opened(path, most) as file:
        return file.read()


def members(path: Path, most: int) -> Iterator[tuple[PurePosixPath, IO[bytes]]]:
    """The files of a tar archive, one after another; each is to be read before the next."""
    with opened(path, most) as file, tarfile.open(fileobj=file, mode="r|") as archive:
        for member in archive:
            name = PurePosixPath(member.name)
            if name.is_absolute() or ".." in name.parts:
                raise DataRefused(messages.outside(path.name, member.name))
            if member.isdir():
                continue
            if not member.isreg() or member.issparse():
                raise DataRefused(messages.no_plain_file(path.name, member.name))
            content = archive.extractfile(member)
            assert content is not None  # a plain file has content
            yield name, content


def unpack(path: Path, wanted: Collection[str], folder: Path, most: int) -> None:
    """Write the archive's files of these names into the folder, whatever folders they were in."""
    for name, content in members(path, most):
        if name.name in wanted:
            with (folder / name.name).open("wb") as file:
                while chunk := content.read(1 << 20):
                    file.write(chunk)


class _Limited(io.RawIOBase):
    def __init__(self, file: BinaryIO, name: str, most: int) -> None:
        self._file, self._name, self._most, self._left = file, name, most, most

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        chunk = self._file.read(min(len(buffer), self._left + 1))
        self._left -= len(chunk)
        if self._left < 0:
            raise DataRefused(messages.unpacks_to_more(self._name, self._most))
        buffer[: len(chunk)] = chunk
        return len(chunk)
