"""How much disk folders take, and how much of it removing them would give back."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Space:
    """Bytes on disk; the files that something outside also links to are not reclaimable."""

    total: int
    reclaimable: int


def measure(folders: Iterable[Path]) -> Space:
    """The space of several folders together: a file linked from two of them counts once."""
    files: dict[tuple[int, int], os.stat_result] = {}
    links: dict[tuple[int, int], int] = {}
    for folder in folders:
        for parent, _, names in os.walk(folder):
            for name in names:
                status = os.lstat(os.path.join(parent, name))  # noqa: PTH118 - there are many
                inode = (status.st_dev, status.st_ino)
                files[inode] = status
                links[inode] = links.get(inode, 0) + 1
    size = {inode: status.st_blocks * 512 for inode, status in files.items()}
    ours = (inode for inode, status in files.items() if links[inode] == status.st_nlink)
    return Space(sum(size.values()), sum(size[inode] for inode in ours))
