"""What an environment is made from: a Python, pinned packages, and what the machine must have."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Need:
    """Something of the machine's own that a framework cannot do without."""

    needs: str  # "libmpi.so.40" (a library), "include/cblas.h" (a header) or "clang" (a program)
    debian: str  # the package that brings it


@dataclass(frozen=True, kw_only=True)
class EnvironmentSpec:
    """A framework's environment, read from its room."""

    name: str
    room: Path
    title: str
    python: str  # "3.11"; "" for a room that runs in stone's own interpreter
    package: str  # the distribution whose version is the framework's
    requirements: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)  # see `variables`
    glibc: str = "2.28"  # the oldest C library its wheels run on
    system: tuple[Need, ...] = ()
    shims: dict[str, str] = field(default_factory=dict)  # a library's old name: what stands for it
    variant: str = ""  # which build or version of its room; "" for the only or usual one

    @property
    def lock(self) -> Path:
        return self.room / ("-".join(filter(None, ("requirements", self.variant))) + ".lock")

    @property
    def site_packages(self) -> Path:
        """Modules that are added to the environment, if the room has any."""
        return self.room / "site-packages"

    @property
    def build_constraints(self) -> Path | None:
        """What packages without a wheel are built with, if the room says."""
        file = self.room / "build-constraints.txt"
        return file if file.exists() else None

    def variables(self, threads: int, env: Path) -> dict[str, str]:
        """The variables its programs run with; `env` is the environment's folder."""
        said = self.environment.items()
        return {name: value.format(threads=threads, env=env) for name, value in said}

    @property
    def pin(self) -> str:
        """The version of the framework itself, as its room pins it."""
        for requirement in self.requirements:
            name, _, version = requirement.partition("==")
            if name.partition("[")[0] == self.package:  # mlx[cpu]
                return version
        return ""
