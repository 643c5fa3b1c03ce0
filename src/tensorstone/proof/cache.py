"""Proofs kept by everything they depend on: the same programs in the same place prove the same.

A kept proof is sealed: what was changed afterwards, or cut short, counts as not there.
"""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

from tensorstone.dialects.registry import Dialect, Framework
from tensorstone.oracle import digest
from tensorstone.proof.probing.probe import Probe
from tensorstone.proof.sources import Sources
from tensorstone.results.codec import Damaged, from_json, to_json
from tensorstone.results.conditions import Conditions
from tensorstone.results.proof import Proof
from tensorstone.support.folders import cache_dir
from tensorstone.support.source_digest import source_digest

SETTLED = ("ok", "unequal")  # a crash or a timeout may have had any cause
LARGEST = 16 * 2**20  # bytes of a file that can be a proof


def key(
    sources: Sources, framework: Framework, dialect: Dialect, conditions: Conditions, probe: Probe
) -> str:
    """The proof's name in the cache."""
    given = {**probe.trace.weights, "x": probe.trace.x, "y": probe.trace.y}
    parts = [
        *sources.texts,
        framework.bridge.read_text(encoding="utf-8"),
        str(framework.conventions),
        # How its numbers are read: losses by batch or by call, logits or probabilities.
        f"{dialect.losses} {dialect.outputs}",
        conditions.sha,
        source_digest("proof"),
        digest(given),
    ]
    total = hashlib.sha256()
    for part in parts:
        total.update(f"{len(part)}:{part}".encode())
    return total.hexdigest()


def find(name: str) -> Proof | None:
    """The proof kept by this name, unless it is missing or was damaged or changed."""
    path = _file(name)
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
            return None
        seal, _, body = path.read_text(encoding="utf-8").partition("\n")
        return from_json(Proof, body) if seal == _seal(name, body) else None
    except (OSError, UnicodeError, Damaged):
        return None


def keep(name: str, proof: Proof) -> None:
    """Keep a settled proof. Without room on the disk it is made again next time."""
    if proof.outcome.status not in SETTLED:
        return
    path, body = _file(name), to_json(proof)
    part = path.with_suffix(f".{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(f"{_seal(name, body)}\n{body}", encoding="utf-8")
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)


def _seal(name: str, body: str) -> str:
    """Of the content and its name: a proof copied to another name does not count either."""
    return hashlib.sha256(f"{name}\n{body}".encode()).hexdigest()


def _file(name: str) -> Path:
    return cache_dir() / "proofs" / f"{name}.json"
