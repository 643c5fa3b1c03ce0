"""An emitted program run by itself, in its framework's environment, as its reader would run it."""

from __future__ import annotations

import ast
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tensorstone.dialects.emit import Unsupported, emit, file_name
from tensorstone.dialects.registry import Dialect, lookup
from tensorstone.models.load import find
from tensorstone.models.workload import Workload
from tensorstone.runtime.environments.install import ensure
from tensorstone.runtime.invocation import Invocation
from tensorstone.session import messages, program_data
from tensorstone.session.asking import dialects
from tensorstone.session.entries import thread_count
from tensorstone.support.errors import StoneError
from tensorstone.support.naming import same_name
from tensorstone.support.progress import Progress
from tensorstone.support.scratch import scratch

SECTIONS = {"network", "learner", "train"}  # functions that every emitted program has
SIGNALLED = 128  # and the signal's number: what shells answer for a program that a signal ended


@dataclass(frozen=True)
class ProgramRequest:
    """A program's file, or a workload that is written first; `data` is a set's or an .npz file's
    name, empty for the synthetic samples that a program makes for itself."""

    what: str
    dialect: str
    data: str = ""
    threads: int = 0


def run_program(request: ProgramRequest, progress: Progress) -> int:
    """The program's own exit code. Its output goes where ours goes."""
    dialect = one_dialect(request.dialect)
    threads = thread_count(request.threads)
    program = Path(request.what) if is_program(request.what) else None
    workload = None if program else find(request.what)
    with scratch() as folder:
        if workload:
            program = _written(workload, dialect, folder)
        assert program is not None
        samples = _samples(request.data, workload, dialect, folder)
        framework = lookup(dialect.framework)
        place = ensure(framework, progress)
        invocation = Invocation(
            python=place.python,
            env=framework.variables(threads, place.path),
            cpus=(),
            threads=threads,
            workdir=folder,
        )
        command = [str(place.python), "-u", "-s", str(program), *map(str, samples)]
        return _ended(command, invocation.environment(os.environ))


def one_dialect(word: str) -> Dialect:
    found = dialects([word])
    if len(found) > 1:
        raise StoneError(*messages.several_dialects(word, [dialect.name for dialect in found]))
    return found[0]


def is_program(word: str) -> bool:
    """Whether it names a file that is an emitted program and no workload's."""
    path = Path(word)
    if path.suffix != ".py" or not path.is_file():
        return False
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return False  # what is wrong with it is said where workloads are read
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)} >= SECTIONS


def _written(workload: Workload, dialect: Dialect, folder: Path) -> Path:
    try:
        text = emit(workload, dialect)
    except Unsupported as reason:
        message = messages.not_written(workload.name, dialect.name, str(reason))
        raise StoneError(*message) from None
    path = folder / file_name(workload, dialect)
    path.write_text(text, encoding="utf-8")
    return path


def _samples(data: str, workload: Workload | None, dialect: Dialect, folder: Path) -> list[Path]:
    """The program's arguments: a file of samples, or none."""
    if not data:
        return []
    if data.endswith(".npz"):
        if not Path(data).is_file():
            raise StoneError(*messages.no_npz(Path(data)))
        return [Path(data).resolve()]
    if workload is None:
        read = program_data.reader(program_data.set_name(data))
    elif same_name(data, [workload.data.name, "real"]):
        read = workload
    else:
        message = messages.reads_another(workload.name, workload.data.name, data)
        raise StoneError(*message)
    path = folder / "samples.npz"
    program_data.export(read, path, dialect)
    return [path]


def _ended(command: list[str], environment: dict[str, str]) -> int:
    with subprocess.Popen(command, env=environment) as process:
        try:
            code = process.wait()
        except KeyboardInterrupt:  # the terminal has sent it to the program too
            process.wait()
            raise
    return code if code >= 0 else SIGNALLED - code
