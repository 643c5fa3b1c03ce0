"""What a program runs under, as far as it can change its numbers or its speed."""

from __future__ import annotations

import hashlib
from typing import Literal

import msgspec
from msgspec import Struct

Allocator = Literal["default", "kept"]


class Conditions(Struct, frozen=True):
    """`variables` are those set for the worker on purpose, sorted by name."""

    environment: str  # the installed packages' fingerprint, the interpreter and the bridge
    variables: tuple[tuple[str, str], ...] = ()
    threads: int = 1
    allocator: Allocator = "default"
    processor: str = ""  # its name: kernels are chosen by it

    @property
    def sha(self) -> str:
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()

    def said(self) -> str:
        """In plain words: `2 threads, allocator default`."""
        return f"{self.threads} thread{'s' * (self.threads != 1)}, allocator {self.allocator}"
