"""The machine a number was measured on. What could not be read is None, never guessed."""

from __future__ import annotations

from msgspec import Struct


class Machine(Struct, frozen=True):
    cpu: str
    architecture: str
    logical_cores: int
    physical_cores: int | None
    affinity: tuple[int, ...]  # the processors that could be used
    memory_bytes: int
    swap_bytes: int
    os: str
    kernel: str
    libc: str
    python: str
    hypervisor: bool | None  # a neighbour may be stealing time
    governor: str | None
    turbo: bool | None
    max_mhz: float | None
    smt: bool | None
    hostname: str
    name: str = ""  # $STONE_MACHINE, else the host's name
