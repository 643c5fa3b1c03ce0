"""Oracle results kept on disk by what they were computed from.

The oracle's own source is a part of every key, so a corrected formula never meets an old answer.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from numpy.lib.npyio import NpzFile

from tensorstone.support.source_digest import source_digest

_MOST_BYTES = 4 * 2**30
_SEAL = "__digest__"  # the file's entry that says what the others must be
Part = str | bytes


def digest(arrays: Mapping[str, np.ndarray]) -> str:
    """The content of named arrays in one hash: a part of a key."""
    parts: list[Part] = []
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        parts += [name, array.dtype.str, str(array.shape), array.tobytes()]
    return _hash(parts)


def cached(
    key_parts: Part | tuple[Part, ...], compute: Callable[[], dict[str, np.ndarray]]
) -> dict[str, np.ndarray]:
    """What `compute` returns, from disk where it has been computed before."""
    from tensorstone.support.folders import cache_dir

    parts = key_parts if isinstance(key_parts, tuple) else (key_parts,)
    name = _hash([source_digest("oracle"), *parts])
    path = Path(cache_dir()) / "oracle" / f"{name}.npz"
    found = _read(path)
    if found is None:
        found = compute()
        _write(path, found)
        _evict(path.parent, _MOST_BYTES)
    return found


def _hash(parts: list[Part]) -> str:
    total = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "little"))  # so that ("ab", "c") is not ("a", "bc")
        total.update(data)
    return total.hexdigest()


def _read(path: Path) -> dict[str, np.ndarray] | None:
    """The stored arrays, or nothing where they are missing or damaged."""
    try:
        with path.open("rb") as file, NpzFile(file, allow_pickle=False) as stored:
            arrays = dict(stored)
        if arrays.pop(_SEAL).item() != digest(arrays):
            return None
        os.utime(path)  # used now, so among the last to be evicted
    except Exception:  # damage has no end of forms, and computing again heals them all
        return None
    return arrays


def _write(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """Store whole or not at all; without room on the disk the result is just not kept."""
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".tmp", delete=False) as file:
            temporary = Path(file.name)
            np.savez(file, **arrays, **{_SEAL: np.array(digest(arrays))})  # type: ignore[arg-type]
        temporary.replace(path)
    except OSError:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def _evict(folder: Path, most: int) -> None:
    """Remove what was used longest ago until `most` bytes are left."""
    entries = []
    for path in folder.glob("*"):  # temporary files of killed runs too
        try:
            status = path.stat()
        except FileNotFoundError:  # another process evicts as well
            continue
        entries.append((status.st_mtime, status.st_size, path))
    total = sum(size for _, size, _ in entries)
    for _, size, path in sorted(entries):
        if total <= most:
            return
        path.unlink(missing_ok=True)
        total -= size
