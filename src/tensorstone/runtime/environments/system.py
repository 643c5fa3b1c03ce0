"""What a framework needs of the machine itself: libraries, headers and programs.

Checked before anything is installed, and got with the machine's own package manager if the user
asks for that and may.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from tensorstone.runtime import messages
from tensorstone.runtime.spec import EnvironmentSpec, Need
from tensorstone.support.errors import StoneError

_HEADERS = ("/usr/include", "/usr/local/include")
_LINKED = re.compile(r"^\s*(\S+) \([^)]*x86-64[^)]*\) => (\S+)$", re.MULTILINE)


class MissingSystemPackages(StoneError):
    """A framework's needs that this machine does not meet; the hint is the command that does."""

    def __init__(self, framework: EnvironmentSpec, needs: list[Need]) -> None:
        self.needs = needs
        self.command = command(needs)
        names = [need.needs for need in needs]
        super().__init__(
            *messages.no_system_packages(framework.title, names, self.command, framework.name)
        )


def check(framework: EnvironmentSpec) -> None:
    """Raise `MissingSystemPackages` unless all that the framework needs is there."""
    if needs := missing(framework):
        raise MissingSystemPackages(framework, needs)


def missing(framework: EnvironmentSpec) -> list[Need]:
    """The needs of a framework that this machine does not meet."""
    return [need for need in framework.system if not _there(need.needs)]


def library(soname: str) -> Path | None:
    """Where the dynamic linker finds a shared library."""
    linker = shutil.which("ldconfig", path=f"{os.environ.get('PATH', '')}:/sbin:/usr/sbin")
    if linker is None:
        return None
    said = subprocess.run([linker, "-p"], capture_output=True, text=True).stdout
    found = dict(_LINKED.findall(said)).get(soname)
    return Path(found) if found else None


def command(needs: Iterable[Need]) -> str:
    """What a person types to have these."""
    return "sudo " * (os.geteuid() != 0) + " ".join(["apt-get install -y", *_packages(needs)])


def install(frameworks: Iterable[EnvironmentSpec]) -> None:
    """Get what these frameworks need and is not there, if the user may."""
    needs = [need for framework in frameworks for need in missing(framework)]
    if not needs:
        return
    by_hand = command(needs)
    if not shutil.which("apt-get"):
        raise StoneError(*messages.no_apt_get(by_hand))
    rights = [] if os.geteuid() == 0 else ["sudo", "--non-interactive"]
    if rights and not shutil.which("sudo"):
        raise StoneError(*messages.only_root(by_hand))
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    update = [*rights, "apt-get", "update", "-q"]
    get = [*rights, "apt-get", "install", "-qy", "--no-install-recommends", *_packages(needs)]
    for words in (update, get):
        done = subprocess.run(
            words, env=quiet, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        if done.returncode:
            raise StoneError(*messages.apt_get_failed(words, done.stderr.strip(), by_hand))


def _packages(needs: Iterable[Need]) -> list[str]:
    return sorted({need.debian for need in needs})


def _there(need: str) -> bool:
    if need.startswith("include/"):
        return any(_header(Path(folder), need.removeprefix("include/")) for folder in _HEADERS)
    if ".so" in need:
        return library(need) is not None
    return shutil.which(need) is not None


def _header(folder: Path, name: str) -> bool:
    """Headers are in the folder itself, or in that of the machine's architecture."""
    return (folder / name).exists() or any(folder.glob(f"*-linux-gnu/{name}"))
