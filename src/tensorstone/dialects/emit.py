"""From a workload to a program: a room's template filled with its layers' lines, formatted."""

from __future__ import annotations

import ast
import importlib.util
import math
import subprocess
import sys
import sysconfig
import traceback
from functools import cache
from pathlib import Path
from shutil import which
from typing import Any

from tensorstone.dialects import messages
from tensorstone.dialects.name_clashes import first_clash, workload_names
from tensorstone.dialects.registry import Dialect, Framework, dialects, folders, lookup
from tensorstone.dialects.shared.writing import number
from tensorstone.models.workload import Workload
from tensorstone.support.errors import StoneError

# Enough for a program's own `__main__` to show learning, small enough to start at once.
DEMO_BATCHES = 20
DEMO_VALUES = 50_000_000
OLDEST_FORMATTED = 7  # ruff knows no Python before 3.7


class Unsupported(Exception):
    """A room cannot say a layer, a loss or an optimiser; the message is the reason."""


class SameProgram(Unsupported):
    """Another dialect of the framework says the workload the same way: once is enough."""

    def __init__(self, dialect: str, why: str) -> None:
        self.dialect = dialect
        super().__init__(messages.same_program(dialect, why))


class RoomError(StoneError):
    """A room's own files do not do what they should: where, and what happened there."""


def emit(workload: Workload, dialect: Dialect) -> str:
    """The program's source."""
    framework = lookup(dialect.framework)
    try:
        return _emit(workload, dialect, framework)
    except (Unsupported, StoneError):
        raise
    except Exception as error:  # a room's code may fail in any way
        room, kind = framework.room, type(error).__name__
        place = _place(error, room)
        message = messages.room_failed(place, kind, error, room.name, workload.name)
        raise RoomError(*message) from error


def _emit(workload: Workload, dialect: Dialect, framework: Framework) -> str:
    context: dict[str, Any] = {
        "workload": workload,
        "model": workload.model,
        "recipe": workload.recipe,
        "dialect": dialect,
        "framework": framework,
        "input_shape": native_shape(workload.model.inputs, framework.layout),
        "output_shape": native_shape(workload.model.outputs, framework.layout),
        "demo_samples": demo_samples(workload),
        **_layers_module(framework.room).describe(workload, dialect),
    }
    template = _templates().get_template(f"{framework.room.name}/program.py.jinja")
    return checked(formatted(template.render(context), framework.python), workload)


def checked(text: str, workload: Workload) -> str:
    """The text, if it is a program in which every name means one thing."""
    try:
        tree = ast.parse(text)
        if name := first_clash(tree, workload_names(workload.model)):
            raise Unsupported(messages.name_clash(name))
        compile(tree, workload.name, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Unsupported(messages.no_python(error)) from error
    return text


def emit_part(workload: Workload, dialect: Dialect) -> str:
    """The program of a part or a probe of a model that the dialect says, whichever says it."""
    try:
        return emit(workload, dialect)
    except SameProgram as same:
        return emit(workload, dialects()[same.dialect])


def supports(workload: Workload, dialect: Dialect) -> str:
    """Why the dialect cannot say the workload; empty if it can."""
    try:
        emit(workload, dialect)
    except Unsupported as reason:
        return str(reason)
    return ""


def file_name(workload: Workload, dialect: Dialect) -> str:
    """`lenet_pytorch_eager.py`"""
    name = f"{workload.name}_{dialect.name}"
    return "".join(c if c.isalnum() else "_" for c in name) + ".py"


def native_shape(shape: tuple[int, ...], layout: str) -> tuple[int, ...]:
    """A sample's shape in the order of axes the framework's users hold it in."""
    if layout == "NHWC" and len(shape) == 3:
        return (*shape[1:], shape[0])
    return shape


def demo_samples(workload: Workload) -> int:
    """How many synthetic samples the program makes for itself when run alone."""
    batch = workload.recipe.batch
    batches = max(1, min(DEMO_BATCHES, DEMO_VALUES // (batch * math.prod(workload.model.inputs))))
    return min(batches * batch, workload.data.samples // batch * batch)


def formatted(source: str, python: str = "") -> str:
    """The source as ruff formats it for that Python, so that every program looks hand-kept."""
    words = [_ruff(), "format", "--isolated", "--line-length", "88", "--stdin-filename", "p.py"]
    if python:
        minor = max(int(python.partition(".")[2]), OLDEST_FORMATTED)
        words += ["--target-version", f"py3{minor}"]
    run = subprocess.run(
        [*words, "-"],
        input=source,
        capture_output=True,
        encoding="utf-8",  # whatever the terminal's is
    )
    if run.returncode:
        raise RoomError(*messages.does_not_parse(run.stderr.strip()))
    return run.stdout


def _place(error: Exception, room: Path) -> str:
    """The last line of the room's own files that led to it."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [f"{f.filename}:{f.lineno}" for f in frames if room in Path(f.filename).parents]
    return own[-1] if own else str(room)


@cache
def _layers_module(room: Path) -> Any:
    """The room's `layers.py`, wherever the room is."""
    name = f"tensorstone.dialects.{room.name}.layers"
    spec = importlib.util.spec_from_file_location(name, room / "layers.py")
    assert spec is not None and spec.loader is not None  # it ends in .py
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their own module up
    spec.loader.exec_module(module)
    return module


@cache
def _ruff() -> str:
    beside = Path(sysconfig.get_path("scripts")) / "ruff"
    found = str(beside) if beside.exists() else which("ruff")
    if found is None:
        raise StoneError(*messages.NO_RUFF)
    return found


@cache
def _templates() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(folders()),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters |= {"plain": number, "product": math.prod}
    return environment
