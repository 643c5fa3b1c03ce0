"""Small files of the kernel's: there, or None."""

from __future__ import annotations

from pathlib import Path

PROC = Path("/proc")
SYS = Path("/sys")


def text(path: Path) -> str | None:
    """What the file says, without the white space around it."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def number(path: Path) -> int | None:
    """The one number in the file."""
    try:
        return int(text(path) or "")
    except ValueError:
        return None


def matching(folder: Path, pattern: str) -> list[Path]:
    """The paths below the folder, sorted; none where it cannot be read."""
    try:
        return sorted(folder.glob(pattern))
    except OSError:
        return []
