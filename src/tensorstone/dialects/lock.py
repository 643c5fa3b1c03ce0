"""Regenerating locks: `python -m tensorstone.dialects.lock [FRAMEWORK… | host]`, by default all.

For developers. A room's lock is made for its own Python on Linux x86-64, and only kept once it
has been installed: the sizes in it, which progress bars count against, are measured there.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
import urllib.request
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tensorstone.dialects import messages
from tensorstone.dialects.registry import Framework, frameworks, named, versions
from tensorstone.runtime.environments import disk, interpreters, pip_config, uv
from tensorstone.runtime.environments.install import (
    compile_command,
    sync_command,
    uv_compiles,
    venv_command,
)
from tensorstone.runtime.environments.locked import Lock, Sizes
from tensorstone.runtime.environments.pip_config import PipConfig
from tensorstone.support.errors import StoneError

ROOT = Path(__file__).parents[3]
HOST_PYTHON = "3.11"
ACCELERATORS = ("nvidia-", "cuda-", "triton", "pytorch-triton")  # never in a CPU environment


def lock_room(framework: Framework) -> None:
    """Resolve, install for real, measure, write."""
    print(f"{framework.name}: resolving", flush=True)
    with tempfile.TemporaryDirectory(prefix="stone-lock-") as scratch:
        packages = _resolve(framework, Path(scratch))
        unwanted = accelerators([p["name"] for p in packages], framework)
        if unwanted:
            raise StoneError(*messages.accelerators(framework.name, unwanted))
        draft = Path(scratch) / "requirements.lock"
        body = "\n".join(_pin(package) for package in packages) + "\n"
        draft.write_text(body, encoding="utf-8")
        print(f"{framework.name}: installing {len(packages)} packages", flush=True)
        sizes = _measure(framework, Lock(draft, body), Path(scratch), packages)
    header = f"# {framework.name} for Python {framework.python} on Linux x86-64: `make lock`.\n"
    framework.lock.write_text(f"{header}{sizes.header()}\n{body}", encoding="utf-8")


def accelerators(names: Iterable[str], framework: Framework) -> list[str]:
    """Packages that serve only a GPU, but for those that the room itself asks for."""
    wanted = {re.split(r"[\[<=>~!]", asked)[0] for asked in framework.requirements}
    return [name for name in names if name.startswith(ACCELERATORS) and name not in wanted]


def lock_host() -> None:
    """Stone's own environment, for every Python and platform it runs on, and the developers'."""
    words = ["pip", "compile", "pyproject.toml", "--universal", "--python-version", HOST_PYTHON]
    words += ["--generate-hashes", "--no-annotate", "--no-header", "--upgrade", *_sources()]
    _uv([*words, "--output-file", "requirements.lock"])
    words += ["--constraints", "requirements.lock", "--group", "dev"]
    _uv([*words, "--output-file", "requirements-dev.lock"])


def _resolve(framework: Framework, scratch: Path) -> list[dict[str, Any]]:
    wanted = scratch / "requirements.in"
    wanted.write_text("\n".join(framework.requirements) + "\n", encoding="utf-8")
    python = str(interpreters.find(framework.python).path)
    platform = f"x86_64-manylinux_{framework.glibc.replace('.', '_')}"
    words = ["pip", "compile", str(wanted), "--python", python, "--python-platform", platform]
    words += ["--format", "pylock.toml", "--no-header", *_sources()]
    if framework.build_constraints:
        words += ["--build-constraints", str(framework.build_constraints)]
    lock = tomllib.loads(_uv(words))
    packages: list[dict[str, Any]] = lock["packages"]
    return packages


def _files(package: dict[str, Any]) -> list[dict[str, Any]]:
    """The wheels that fit; the source only where there is none."""
    return package.get("wheels") or [package["sdist"]]


def _pin(package: dict[str, Any]) -> str:
    hashes = sorted(file["hashes"]["sha256"] for file in _files(package))
    lines = [f"{package['name']}=={package['version']}"]
    return " \\\n    ".join(lines + [f"--hash=sha256:{sha}" for sha in hashes])


def _measure(
    framework: Framework, lock: Lock, scratch: Path, packages: list[dict[str, Any]]
) -> Sizes:
    folder = scratch / "env"
    interpreter = interpreters.find(framework.python)
    _run(venv_command(interpreter, folder))
    python, constraints = folder / "bin" / "python", framework.build_constraints
    compiled = uv_compiles(interpreter)
    _run(sync_command(python, lock, pip_config.read(), constraints, compiled))
    if not compiled:
        _run(compile_command(python, folder))
    everything = disk.measure([folder]).total
    bytecode = disk.measure(folder.rglob("__pycache__")).total
    download = sum(_length(_files(package)[0]["url"]) for package in packages)
    return Sizes(download, everything - bytecode, bytecode)


def _length(url: str) -> int:
    request = urllib.request.Request(url, method="HEAD")
    with urllib.request.urlopen(request, timeout=60) as answer:
        return int(answer.headers["Content-Length"])


def _sources() -> list[str]:
    """Not the extra indexes: a partial mirror would leave files, and their hashes, out."""
    config = pip_config.read()
    return PipConfig(index_url=config.index_url, find_links=config.find_links).arguments()


def _uv(words: list[str]) -> str:
    return _run([uv.binary(), *words])


def _run(command: list[str]) -> str:
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=uv.environment(pip_config.read()),
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise StoneError(*messages.command_failed(command, done.stderr))
    return done.stdout


def main(words: list[str]) -> None:
    usual = [name for name, framework in frameworks().items() if framework.python]
    for word in words or [*usual, *versions(), "host"]:
        if word == "host":
            lock_host()
            continue
        for framework in named(word):
            lock_room(framework)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except StoneError as error:
        sys.exit(f"{error.message}\n{error.hint}")
