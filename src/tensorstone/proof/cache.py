"""Proofs kept by everything they depend on: the same programs in the same place prove the same."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

from tensorstone.dialects.registry import Framework
from tensorstone.oracle import digest
from tensorstone.proof.probes import Probe
from tensorstone.proof.sources import Sources
from tensorstone.proof.verdict import Proof, from_json
from tensorstone.support.folders import cache_dir
from tensorstone.support.own_source import own_source

# What is asked, and how answers are judged.
DECIDES = ("tensorstone/proof", "tensorstone/oracle", "stone_worker")
SETTLED = ("ok", "unequal")  # a crash or a timeout may be the machine's mood


def key(sources: Sources, framework: Framework, python: Path, probe: Probe) -> str:
    """The proof's name in the cache."""
    given = {**probe.trace.weights, "x": probe.trace.x, "y": probe.trace.y}
    files = [framework.bridge, framework.lock]
    parts = [
        *sources.texts,
        *(file.read_text(encoding="utf-8") for file in files if file.exists()),
        str(framework.conventions),
        str(python),
        own_source(*DECIDES),
        digest(given),
    ]
    total = hashlib.sha256()
    for part in parts:
        total.update(f"{len(part)}:{part}".encode())
    return total.hexdigest()


def find(name: str) -> Proof | None:
    """The proof kept by this name, unless it is missing or damaged."""
    try:
        return from_json(json.loads(_file(name).read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def keep(name: str, proof: Proof) -> None:
    """Keep a settled proof. Without room on the disk it is made again next time."""
    if proof.status not in SETTLED:
        return
    path = _file(name)
    part = path.with_suffix(f".{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps(proof.to_json()), encoding="utf-8")
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)


def _file(name: str) -> Path:
    return cache_dir() / "proofs" / f"{name}.json"
