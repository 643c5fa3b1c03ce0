"""What went wrong in a person's workload file: where, what, and what they may have meant."""

from __future__ import annotations

import builtins
import inspect
import re
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tensorstone.models import messages
from tensorstone.models.written_at import Noted
from tensorstone.support.errors import Message, StoneError
from tensorstone.support.naming import did_you_mean

# What other frameworks call things.
ELSEWHERE = {
    "activation": "ReLU(), Tanh(), … as a layer of its own",
    "averagepooling2d": "AvgPool2D",
    "batchnormalization": "BatchNorm",
    "bidirectional": "bidirectional=True on the recurrent layer",
    "concatenate": "Concat",
    "fullyconnected": "Dense",
    "input": "Model's second argument, the shape of its input",
    "linear": "Dense",
    "maxpooling2d": "MaxPool2D",
}
_CALL = re.compile(r"(\w+)(?:\.__init__)?\(\) (.*)")
_KEYWORD = re.compile(r"got an unexpected keyword argument '(\w+)'")
_IMPORT = re.compile(r"cannot import name '(\w+)'")


@dataclass(frozen=True)
class Mistake:
    """What is wrong in a file, what to do, and the line; None where the file is no source."""

    message: str
    hint: str
    line: int | None


def as_error(mistakes: Sequence[Mistake], path: Path, source: bytes) -> StoneError:
    """Every mistake with its line and the line's text."""
    lines = source.decode(errors="replace").splitlines()

    def shown(mistake: Mistake) -> str:
        line = mistake.line or 0
        return lines[line - 1].strip() if 0 < line <= len(lines) else ""

    if len(mistakes) == 1:
        (only,) = mistakes
        if only.line is None:
            return StoneError(only.message, only.hint)
        return StoneError(*messages.in_line(path, only.line, only.message, only.hint, shown(only)))
    told = [(one.line, one.message, one.hint, shown(one)) for one in mistakes]
    return StoneError(*messages.in_lines(path, told))


def explained(
    error: BaseException, path: Path, namespace: dict[str, object], noted: Noted | None = None
) -> Mistake:
    """The exception a statement ended with, with its line and a suggestion."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return Mistake(error.msg, "", error.lineno or 1)
    frames = traceback.extract_tb(error.__traceback__)
    running = [frame for frame in frames if frame.filename == str(path)]
    if not running:  # it never began: bytes that are no text
        return Mistake(*messages.not_python(path, _text(error)), None)
    message, hint = said_of(error, namespace)
    line = noted.line(error.about) if noted and isinstance(error, StoneError) else None
    return Mistake(message, hint, line or running[-1].lineno)


def said_of(error: BaseException, namespace: dict[str, object]) -> Message:
    match error:
        case StoneError():
            return error.message, error.hint
        case SystemExit():
            return messages.STOPS_THE_PROGRAM
        case NameError(name=str(name)):
            return messages.not_defined(name, meant(name, namespace))
        case ModuleNotFoundError(name=str(name)):
            known = ["tensorstone", "tensorstone.models", "numpy", "math"]
            return messages.no_module(name, _only_close(name, known))
        case ImportError() if (found := _IMPORT.match(_text(error))) and _ours(error.name):
            return messages.module_lacks("tensorstone.models", found[1], meant(found[1]))
        case AttributeError(name=str(name), obj=obj) if inspect.ismodule(obj) and _ours(
            obj.__name__
        ):
            return messages.module_lacks(obj.__name__, name, meant(name))
        case TypeError() if called := _miscalled(error, namespace):
            return called
    return messages.file_raised(type(error).__name__, _text(error))


def _text(error: BaseException) -> str:
    """What an exception says, if it can be asked."""
    try:
        return str(error)[:2000]
    except Exception:  # its class is the person's own
        return ""


def _miscalled(error: TypeError, namespace: dict[str, object]) -> Message | None:
    """A layer (or anything of ours) called with arguments it does not take."""
    found = _CALL.match(_text(error))
    thing = _named(found[1], namespace) if found else None
    if found is None or thing is None:
        return None
    name = found[1]
    takes = [p for p in inspect.signature(thing).parameters if p not in ("self", "kwargs")]
    if keyword := _KEYWORD.search(found[2]):
        return misnamed(name, keyword[1], takes)
    said = found[2].replace(" 1 required positional argument:", "")
    return messages.called_wrongly(name, said, takes)


def misnamed(name: str, argument: str, takes: list[str]) -> Message:
    """An argument that a call does not take."""
    return messages.no_argument(name, argument, _only_close(argument, takes), takes)


def meant(word: str, namespace: dict[str, object] | None = None) -> str:
    """A suggestion that also knows the words of other frameworks, and the file's own."""
    known = [*_vocabulary(), *_own(namespace or {})]
    if word.lower() in ELSEWHERE:
        return messages.here_that_is(ELSEWHERE[word.lower()])
    return did_you_mean(word, known, messages.WHERE_LAYERS_STAND)


def _only_close(word: str, known: list[str]) -> str:
    """A suggestion, and nothing where nothing is close."""
    suggestion = did_you_mean(word, known)
    return suggestion if suggestion.startswith("did you") else ""


def _vocabulary() -> list[str]:
    from tensorstone import models

    return models.__all__


def _own(namespace: dict[str, object]) -> list[str]:
    """Names the file itself has defined."""
    return [name for name in namespace if not name.startswith("_") and not hasattr(builtins, name)]


def _ours(module: str | None) -> bool:
    return (module or "").split(".")[0] == "tensorstone"


def _named(name: str, namespace: dict[str, object]) -> type | None:
    """One of our classes or functions, by the name an error message gives it."""
    from tensorstone import models

    thing = namespace.get(name, getattr(models, name, None))
    return thing if callable(thing) and _ours(getattr(thing, "__module__", None)) else None  # type: ignore[return-value]
