"""A program: the text a dialect says a workload in, and what it is known by."""

from __future__ import annotations

import hashlib

from msgspec import Struct


class Program(Struct, frozen=True):
    """`sha` is the text's; `workload_sha` that of the model, the data and the recipe it says."""

    text: str
    sha: str
    workload_sha: str
    dialect: str
    lines: int = 0  # of code
    complexity: int = 0  # decisions a reader has to follow


def sha(text: str) -> str:
    """What a text is known by."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
