"""Making stone's own environment in a fresh clone; `./stone` runs this once.

    python -m tensorstone.runtime.environments.bootstrap VENV STAMP

Standard library only: nothing is installed yet. pip fetches uv (pip knows this machine's
sources), uv fetches the rest: measured, that takes half the time of pip alone.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

from tensorstone.runtime import messages
from tensorstone.runtime.environments import pip_config, uv
from tensorstone.support.file_lock import file_locked

ROOT = Path(__file__).parents[4]
LOCK = ROOT / "requirements.lock"
STAMP = "stone.stamp"  # also the lock file: whoever writes it holds it
UNFINISHED = "unfinished"

_SCRIPT = """\
import sys

from tensorstone.cli import main

sys.exit(main())
"""


class Failed(Exception):
    """One line for the person: what went wrong, and what to do."""


def make(venv: Path, stamp: str) -> None:
    """The environment at `venv`, whole: its stamp is written last, and `./stone` checks it."""
    note = venv / STAMP
    if venv.exists() and not note.exists() and any(venv.iterdir()):
        raise Failed(messages.foreign_venv(venv))
    venv.mkdir(parents=True, exist_ok=True)
    with file_locked(note, _Waiting()) as held:
        made = note.read_text(encoding="utf-8").strip()
        if made == stamp and _usable(venv):
            return
        _say(messages.making_own(venv))
        note.write_text(UNFINISHED, encoding="utf-8")
        if made in ("", UNFINISHED) or not _usable(venv):
            _empty(venv)
            bare = [sys.executable, "-m", "venv", "--without-pip", str(venv)]
            _step(messages.OWN_EMPTY, bare, held)
        python = venv / "bin" / "python"
        _get_uv(python, venv, held)
        command = [str(venv / "bin" / "uv"), "pip", "install", "--python", str(python)]
        # Compiled now: where Python may not write bytecode, every later start would do it again.
        command += [
            "--compile-bytecode",
            "--require-hashes",
            *pip_config.read().arguments(),
            "-r",
            str(LOCK),
        ]
        _step(messages.OWN_PACKAGES, command, held, show=sys.stderr.isatty())
        _add_stone(python, venv)
        subprocess.run([python, "-m", "compileall", "-qq", ROOT / "src"], stdout=subprocess.DEVNULL)
        note.write_text(stamp + "\n", encoding="utf-8")
        _say(messages.OWN_READY)


def uv_alone(lock: str) -> str:
    """The part of the lock that is uv itself."""
    found = re.search(r"^uv==.*?(?<!\\)$", lock, re.MULTILINE | re.DOTALL)
    if not found:
        raise Failed(messages.lock_without_uv(LOCK))
    return found.group() + "\n"


class _Waiting:
    def __enter__(self) -> None:
        _say(messages.WAITING_FOR_OWN)

    def __exit__(self, *_: object) -> None:
        pass


def _empty(venv: Path) -> None:
    for child in venv.iterdir():
        if child.name == STAMP:
            continue  # what says that this folder is ours goes last
        if child.is_dir() and not child.is_symlink():
            shutil.rmtree(child)
        else:
            child.unlink()


def _usable(venv: Path) -> bool:
    """Whether packages can be put in what is there: its interpreter runs."""
    try:
        asked = [str(venv / "bin" / "python"), "-c", ""]
        return subprocess.run(asked, capture_output=True).returncode == 0
    except OSError:
        return False


def _get_uv(python: Path, venv: Path, held: int) -> None:
    """By this Python's own pip if it can: unpacking another one takes longer than all the rest."""
    with tempfile.NamedTemporaryFile("w", dir=venv, suffix=".lock", encoding="utf-8") as only_uv:
        only_uv.write(uv_alone(LOCK.read_text(encoding="utf-8")))
        only_uv.flush()
        words = ["install", "-qq", "--disable-pip-version-check", "--require-hashes"]
        words += ["-r", only_uv.name]
        if not _pip_serves_others():
            _step(messages.OWN_PIP, [str(python), "-m", "ensurepip"], held)
            _step(messages.OWN_UV, [str(python), "-m", "pip", *words], held)
        else:
            own = [sys.executable, "-m", "pip", "--python", str(python)]
            _step(messages.OWN_UV, own + words, held)


def _pip_serves_others() -> bool:
    try:
        major, minor = metadata.version("pip").split(".")[:2]
    except metadata.PackageNotFoundError:
        return False
    return (int(major), int(minor)) >= (22, 3)


def _add_stone(python: Path, venv: Path) -> None:
    """Stone itself, from this clone: a path and a script, so that an edit needs no rebuild."""
    asked = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    packages = Path(subprocess.run(asked, capture_output=True, text=True).stdout.strip())
    (packages / "tensorstone.pth").write_text(f"{ROOT / 'src'}\n", encoding="utf-8")
    (venv / "bin" / "stone").write_text(_SCRIPT, encoding="utf-8")


def _step(what: str, command: list[str], held: int, show: bool = False) -> None:
    _say(what)
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=uv.environment(pip_config.read()),
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr if show else subprocess.PIPE,
        stderr=sys.stderr if show else subprocess.STDOUT,
        pass_fds=[held],
        text=True,
    )
    if done.returncode:
        said = "" if show else done.stdout.strip()
        raise Failed(messages.own_failed(what, said))


def _say(what: str) -> None:
    print(f"stone: {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        make(Path(sys.argv[1]), sys.argv[2])
    except Failed as failure:
        sys.exit(f"stone: {failure}")
    except OSError as error:
        sys.exit(f"stone: {messages.own_not_writable(error)}")
    except KeyboardInterrupt:
        sys.exit(f"stone: {messages.OWN_STOPPED}")
