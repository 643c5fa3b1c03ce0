"""Debian packages, downloaded and read: no root is needed and nothing is installed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tensorstone.data import messages
from tensorstone.data.formats.unpacking import DAMAGE, unpack
from tensorstone.data.refused import DataRefused
from tensorstone.data.sources import client
from tensorstone.support.progress import NoProgress, Progress

_PATIENCE = ["-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=30"]


@dataclass(frozen=True)
class Debian:
    package: str
    files: tuple[str, ...]
    fetched_bytes: int

    @property
    def name(self) -> str:
        return f"Debian package {self.package}"

    def fetch(self, scratch: Path, progress: Progress, most: int) -> Path:
        command = ["apt-get", *_PATIENCE, "download", self.package]
        client.run(command, scratch, progress, self.fetched_bytes)
        packages = list(scratch.glob("*.deb"))
        if len(packages) != 1:
            raise DataRefused(messages.NO_PACKAGE)
        content = ["dpkg-deb", "--fsys-tarfile", str(packages[0])]
        try:
            unpack(client.run(content, scratch, NoProgress()), self.files, scratch, most)
        except DAMAGE as error:
            raise DataRefused(messages.not_read(packages[0].name, error)) from error
        return scratch
