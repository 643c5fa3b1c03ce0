"""Digests of our own source: kept proofs, samples and results are reused only while the modules
that decide them are unchanged.

Each purpose names its modules. File names and import lines do not count, so moving a module (and
saying here where it is now) changes nothing; every other edit does, even of a comment.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]

# Modules and packages, by what they decide.
DECIDES: dict[str, tuple[str, ...]] = {
    "oracle": ("tensorstone.oracle",),
    "probes": ("tensorstone.proof.probing", "tensorstone.models.layers"),
    "expectation": tuple(
        f"tensorstone.proof.{n}" for n in ("expectation", "numbers", "tolerance", "variant")
    ),
    "proof": (
        "tensorstone.proof",
        "tensorstone.oracle",
        "tensorstone.results.proof",
        "stone_worker",
    ),
    "timing": (
        *(
            f"tensorstone.race.{name}"
            for name in (
                "block_equalisation",
                "block_length",
                "deployment",
                "feeding",
                "group_run",
                "process_run",
                "training",
                "warmup",
            )
        ),
        "tensorstone.runtime.process",
        "tensorstone.runtime.invocation",
        "tensorstone.runtime.threads",
        "tensorstone.runtime.gauges.background",
        "stone_worker",
    ),
    "analysis": ("tensorstone.analysis", "tensorstone.results"),
}
_IMPORTS = re.compile(
    rb"^[ \t]*(?:from [\w. ]+ import (?:\([^)]*\)|[^\n(]+)|import [\w., ]+)\n", re.MULTILINE
)


@cache
def source_digest(*purposes: str) -> str:
    """What the modules that decide these purposes do, in one hash."""
    return digest(file for purpose in purposes for name in DECIDES[purpose] for file in files(name))


def files(name: str) -> list[Path]:
    """The source files of a module or package."""
    path = SOURCE.joinpath(*name.split("."))
    return sorted(path.rglob("*.py")) if path.is_dir() else [path.with_suffix(".py")]


def digest(sources: Iterable[Path]) -> str:
    """The same for the same statements, whatever the files are called."""
    contents = {hashlib.sha256(_IMPORTS.sub(b"", path.read_bytes())).digest() for path in sources}
    return hashlib.sha256(b"".join(sorted(contents))).hexdigest()
