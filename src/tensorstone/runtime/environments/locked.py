"""A room's `requirements.lock`: what it installs, and how big that is."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from tensorstone.runtime import messages
from tensorstone.support.errors import StoneError

_SIZES = re.compile(r"^# bytes: download (\d+), unpacked (\d+), bytecode (\d+)$", re.MULTILINE)
_PIN = re.compile(r"^([A-Za-z0-9][\w.-]*)==([^\s;\\]+)", re.MULTILINE)


@dataclass(frozen=True)
class Sizes:
    """Bytes, as measured when the lock was made."""

    download: int = 0
    unpacked: int = 0
    bytecode: int = 0

    @property
    def on_disk(self) -> int:
        return self.unpacked + self.bytecode

    def header(self) -> str:
        """The line of a lock that says so."""
        return (
            f"# bytes: download {self.download}, unpacked {self.unpacked}, bytecode {self.bytecode}"
        )


@dataclass(frozen=True)
class Lock:
    """A lock file, read."""

    path: Path
    text: str

    @property
    def packages(self) -> dict[str, str]:
        return dict(_PIN.findall(self.text))

    @property
    def sizes(self) -> Sizes:
        said = _SIZES.search(self.text)
        return Sizes(*map(int, said.groups())) if said else Sizes()

    def fingerprint(self, python: str, more: str = "") -> str:
        """Twelve hex digits that change with any pin, with the Python they are for, or `more`."""
        return hashlib.sha256(f"{self.text}\0{python}{more}".encode()).hexdigest()[:12]


def read(path: Path) -> Lock:
    try:
        return Lock(path, path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise StoneError(*messages.no_lock(path.parent.name, path.name)) from None
