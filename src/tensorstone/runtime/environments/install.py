"""Making a framework's environment: locked, hash-checked, by uv, and whole or not there."""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from tensorstone.runtime import messages
from tensorstone.runtime.environments import (
    disk,
    interpreters,
    locked,
    pip_config,
    system,
    uv,
    watching,
)
from tensorstone.runtime.environments.environment import (
    Environment,
    find,
    fingerprint,
    home,
    lock_file,
    mark_complete,
)
from tensorstone.runtime.environments.furnishing import furnish
from tensorstone.runtime.environments.interpreters import Interpreter
from tensorstone.runtime.environments.locked import Lock
from tensorstone.runtime.environments.pip_config import PipConfig
from tensorstone.runtime.spec import EnvironmentSpec
from tensorstone.support.errors import StoneError
from tensorstone.support.file_lock import file_locked
from tensorstone.support.progress import NoProgress, Progress, shown, size


class InstallFailed(StoneError):
    """uv could not make the environment; `last_output` is what it said."""

    def __init__(
        self, framework: EnvironmentSpec, message: str, hint: str, last_output: str = ""
    ) -> None:
        self.framework = framework.name
        self.last_output = last_output
        super().__init__(messages.not_installed(framework.title, message), hint)


def ensure(framework: EnvironmentSpec, progress: Progress | None = None) -> Environment:
    """The framework's environment, made first if it is not whole. Safe to call from anywhere."""
    if ready := find(framework):
        return ready
    interpreter = interpreters.find(framework.python)
    system.check(framework)
    folder = home(framework)
    lock = locked.read(framework.lock)
    watcher = progress or NoProgress()
    waiting = shown(watcher, messages.waiting(framework.title))
    with file_locked(lock_file(folder), waiting) as held:
        if ready := find(framework):
            return ready
        job = _InstallJob(framework, lock, interpreter, folder, pip_config.read())
        with shown(watcher, _label(framework, lock), lock.sizes.on_disk):
            made = _make(job, watcher, held)
            watcher.advance(lock.sizes.on_disk, "done")
            return made


@dataclass(frozen=True)
class _InstallJob:
    framework: EnvironmentSpec
    lock: Lock
    interpreter: Interpreter
    folder: Path
    sources: PipConfig

    @property
    def downloads(self) -> Path:
        """uv's cache for this job alone: an interrupted one goes on from it, a finished one
        drops it, so that removing the environment gives all of its space back."""
        return self.folder.with_name(self.folder.name + ".downloads")


def _make(job: _InstallJob, progress: Progress, held: int) -> Environment:
    began = time.monotonic()
    if job.folder.exists():  # no marker, or no interpreter any more: not whole
        shutil.rmtree(job.folder)
    _check_space(job)
    try:
        _uv(job, venv_command(job.interpreter, job.folder), NoProgress(), held)
        python = job.folder / "bin" / "python"
        compiled, constraints = uv_compiles(job.interpreter), job.framework.build_constraints
        sync = sync_command(python, job.lock, job.sources, constraints, compiled)
        _uv(job, sync, progress, held)
        if not compiled:
            _uv(job, compile_command(python, job.folder), NoProgress(), held)
        furnish(job.framework, job.folder)
        shutil.rmtree(job.downloads, ignore_errors=True)
        made = Environment(
            framework=job.framework.name,
            path=job.folder,
            python=python,
            version=job.lock.packages.get(job.framework.package, job.framework.pin),
            python_version=job.interpreter.version,
            fingerprint=fingerprint(job.framework),
            packages=job.lock.packages,
            size_bytes=disk.measure([job.folder]).total,
            seconds=round(time.monotonic() - began, 2),
        )
        mark_complete(made)
    except BaseException:
        shutil.rmtree(job.folder, ignore_errors=True)
        raise
    return made


def venv_command(interpreter: Interpreter, folder: Path) -> list[str]:
    """An empty environment, from an interpreter by its absolute path: uv is not to search."""
    words = [uv.binary(), "venv", "--quiet", "--no-project"]
    return [*words, "--python", str(interpreter.path), str(folder)]


def sync_command(
    python: Path,
    lock: Lock,
    sources: PipConfig,
    build_constraints: Path | None = None,
    compiled: bool = True,
) -> list[str]:
    """Exactly what the lock says, every file checked against its hash, ready to import."""
    words = [uv.binary(), "pip", "sync", "--python", str(python), "--require-hashes"]
    words += ["--compile-bytecode"] * compiled
    words += [*sources.arguments(), *_torch_source(lock, sources)]
    if build_constraints:
        words += ["--build-constraints", str(build_constraints)]
    return [*words, str(lock.path)]


def uv_compiles(interpreter: Interpreter) -> bool:
    """Whether uv can compile bytecode for it: its compiler asks for what Python 3.7 brought."""
    return tuple(map(int, interpreter.version.split(".")[:2])) >= (3, 7)


def compile_command(python: Path, folder: Path) -> list[str]:
    """What uv would do: every module compiled, and nothing said of those that do not compile."""
    words = "import compileall, sys; compileall.compile_dir(sys.argv[1], quiet=2, workers=0)"
    return [str(python), "-c", words, str(folder / "lib")]


def _uv(job: _InstallJob, command: list[str], progress: Progress, held: int) -> None:
    ending = watching.run(
        command,
        sizes=job.lock.sizes,
        progress=progress,
        environment=uv.environment(job.sources, job.downloads),
        folder=job.folder.parent,
        keep_open=[held],
    )
    if ending.code:
        raise _failure(job, ending)


def _torch_source(lock: Lock, sources: PipConfig) -> list[str]:
    """PyTorch's CPU builds are on no package index: a find-links folder has it, or uv knows."""
    version = lock.packages.get("torch", "")
    if not version.endswith("+cpu"):
        return []
    at_hand = any(path.name.startswith(f"torch-{version}-") for path in sources.local_files())
    return [] if at_hand else ["--torch-backend", "cpu"]


def _label(framework: EnvironmentSpec, lock: Lock) -> str:
    download = lock.sizes.download
    return messages.installing(framework.title, framework.pin, size(download) if download else "")


def _check_space(job: _InstallJob) -> None:
    needed, free = job.lock.sizes.on_disk, shutil.disk_usage(job.folder.parent).free
    if free < needed:
        message = messages.too_little_space(job.folder.parent, size(needed), size(free))
        raise InstallFailed(job.framework, *message)


def _failure(job: _InstallJob, ending: watching.Ending) -> InstallFailed:
    if "No space left on device" in ending.last_output:
        message = messages.disk_full(job.folder.parent)
    else:
        message = messages.uv_failed(ending.code, ending.last_output, job.framework.name)
    return InstallFailed(job.framework, *message, ending.last_output)
