"""What went wrong in a person's workload file: where, what, and what they may have meant."""

from __future__ import annotations

import builtins
import inspect
import re
import traceback
from pathlib import Path

from tensorstone.models import messages
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


def explained(error: BaseException, path: Path, namespace: dict[str, object]) -> StoneError:
    """The exception a file ended with, as a message with its line and a suggestion."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        shown = (error.text or "").strip()
        return StoneError(*messages.syntax_error(path, error.lineno or 1, error.msg, shown))
    frames = traceback.extract_tb(error.__traceback__)
    running = [frame for frame in frames if frame.filename == str(path)]
    if not running:  # it never began: bytes that are no text
        return StoneError(*messages.not_python(path, _text(error)))
    message, hint = _said(error, namespace)
    last = running[-1]
    return StoneError(*messages.in_line(path, last.lineno, message, hint, last.line))


def _said(error: BaseException, namespace: dict[str, object]) -> Message:
    match error:
        case StoneError():
            return error.message, error.hint
        case SystemExit():
            return messages.STOPS_THE_PROGRAM
        case NameError(name=str(name)):
            return messages.not_defined(name, meant(name, [*_vocabulary(), *_own(namespace)]))
        case ModuleNotFoundError(name=str(name)):
            known = ["tensorstone", "tensorstone.models", "numpy", "math"]
            return messages.no_module(name, _only_close(name, known))
        case ImportError() if (found := _IMPORT.match(_text(error))) and _ours(error.name):
            return messages.module_lacks(
                "tensorstone.models", found[1], meant(found[1], _vocabulary())
            )
        case AttributeError(name=str(name), obj=obj) if inspect.ismodule(obj) and _ours(
            obj.__name__
        ):
            return messages.module_lacks(obj.__name__, name, meant(name, _vocabulary()))
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
        return messages.no_argument(name, keyword[1], _only_close(keyword[1], takes), takes)
    said = found[2].replace(" 1 required positional argument:", "")
    return messages.called_wrongly(name, said, takes)


def meant(word: str, known: list[str]) -> str:
    """A suggestion that also knows the words of other frameworks."""
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
