"""A real ledger of an earlier version (format 6): races of MLX and PyTorch with an A/A and an
allocator control, a race with an unequal cell, a training, and a race that was killed."""

from __future__ import annotations

import gzip
from pathlib import Path

PACKED = Path(__file__).parent / "fixtures" / "ledger-format-6.sqlite.gz"


def unpack(folder: Path) -> Path:
    """The ledger as a file of its own in this folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "ledger.sqlite"
    path.write_bytes(gzip.decompress(PACKED.read_bytes()))
    return path
