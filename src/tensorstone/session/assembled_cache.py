"""Assembled results, cached on disk so that showing a run again is quick.

The key is the run's state in the ledger and a digest of our analysis code. A file that does not
match is ignored.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

from tensorstone.analysis.assemble import assemble
from tensorstone.ledger import reading
from tensorstone.ledger.ledger import Ledger
from tensorstone.results.codec import Damaged, from_bytes, to_bytes
from tensorstone.results.comparison import (
    Assembled,
    Comparison,
    Examination,
    Proofs,
    Training,
)
from tensorstone.support.folders import cache_dir
from tensorstone.support.source_digest import source_digest

KINDS: dict[str, type[Assembled]] = {
    "compare": Comparison,
    "train": Training,
    "prove": Proofs,
    "doctor": Examination,
}
LARGEST = 256 * 2**20


def assembled(ledger: Ledger, run: int) -> Assembled:
    """What a run came to; from what is kept of it, if nothing has changed since."""
    state = reading.state(ledger, run)
    path = _path(state.uuid)
    kind = KINDS.get(state.command)
    name = f"{state} {source_digest('analysis')}"
    if kind and (kept := _read(path, name, kind)) is not None:
        return kept
    found = assemble(reading.record(ledger, run))
    body = to_bytes(found)
    if state.status != "running":  # its cells are still being opened, which the state does not say
        _keep(path, name, body)
    return from_bytes(type(found), body)  # the same to the last digit as when it is read again


def drop(uuid: str) -> None:
    """Delete the cached result of a run that was forgotten."""
    with contextlib.suppress(OSError):
        _path(uuid).unlink(missing_ok=True)


def _path(uuid: str) -> Path:
    # An id of another's ledger may be any text: it names no file of its own choice.
    name = hashlib.sha256(uuid.encode("utf-8", "replace")).hexdigest()
    return cache_dir() / "assembled" / f"{name}.bin"


def _read(path: Path, name: str, kind: type[Assembled]) -> Assembled | None:
    try:
        if not path.is_file() or path.stat().st_size > LARGEST:
            return None
        data = path.read_bytes()
        seal, body = data[:32], data[32:]
        return from_bytes(kind, body) if seal == _seal(name, body) else None
    except (OSError, Damaged):
        return None


def _keep(path: Path, name: str, body: bytes) -> None:
    """Without room on the disk it is assembled again next time."""
    part = path.with_suffix(f".{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(_seal(name, body) + body)
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)


def _seal(name: str, body: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\0" + body).digest()
