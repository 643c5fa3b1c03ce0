"""A folder that somebody filled: FOLDER/mnist/…, or the files in FOLDER itself."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tensorstone.data import messages
from tensorstone.data.refused import DataRefused
from tensorstone.support.progress import Progress


@dataclass(frozen=True)
class Mirror:
    folder: Path
    set_name: str
    fetched_bytes: int = 0

    @property
    def name(self) -> str:
        return f"mirror folder {self.folder}"

    def fetch(self, scratch: Path, progress: Progress, most: int) -> Path:
        if not self.folder.is_dir():
            raise DataRefused(messages.NO_FOLDER)
        own = self.folder / self.set_name
        return own if own.is_dir() else self.folder
