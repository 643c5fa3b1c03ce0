"""How layers are put together: one after another, side by side, and as blocks used many times."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Union

from tensorstone.models import checks, messages
from tensorstone.models.layers import Layer
from tensorstone.models.named import Named
from tensorstone.models.written_at import made
from tensorstone.support.errors import StoneError

Part = Union[Layer, "Sequential", "Fork", "BlockUse"]
Path = Part | Sequence[Part]


@dataclass(frozen=True)
class Sequential:
    """Parts applied one after another; an empty one passes its input on."""

    parts: tuple[Part, ...]

    def __init__(self, *parts: Path) -> None:
        object.__setattr__(self, "parts", tuple(q for p in parts for q in _parts(p)))


@dataclass(frozen=True)
class Fork:
    """Paths that read the same input, their results joined."""

    stem: ClassVar[str] = "join"
    join: Literal["concat", "add"]
    paths: tuple[Sequential, ...]
    name: str = ""

    def __post_init__(self) -> None:
        made(self)


def Concat(*paths: Path, name: str = "") -> Fork:
    """Join paths along the channels."""
    return Fork("concat", tuple(Sequential(p) for p in paths), name)


def Add(*paths: Path, name: str = "") -> Fork:
    """Add paths element by element; `[]` is the path that changes nothing."""
    return Fork("add", tuple(Sequential(p) for p in paths), name)


@dataclass(frozen=True)
class BlockUse:
    """One use of a block: its arguments, and the body they make."""

    block: str
    arguments: tuple[tuple[str, int], ...]
    body: Sequential
    name: str = ""

    def __post_init__(self) -> None:
        made(self)


def block(make: Callable[..., Path]) -> Callable[..., BlockUse]:
    """Turn a function of whole numbers that returns layers into a block.

    The block is defined once in every emitted program too, so its layers must use the parameters
    themselves (or sums and products of them), not values computed outside.
    """
    signature = inspect.signature(make)
    _check_parameters(make.__name__, signature)

    @functools.wraps(make)
    def use(*args: int, name: str = "", **kwargs: int) -> BlockUse:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            takes = list(signature.parameters)
            message = messages.block_called_wrongly(make.__name__, error, takes)
            raise StoneError(*message) from None
        bound.apply_defaults()
        for key, value in bound.arguments.items():
            checks.whole(name or f"block {make.__name__}", key, value, least=0)
        # Inside another block an argument may itself be named after that block's parameter.
        given = tuple(bound.arguments.items())
        body = make(**{key: Named(int(value), key) for key, value in given})
        if body is None:
            raise StoneError(*messages.block_returns_nothing(make.__name__))
        return BlockUse(make.__name__, given, Sequential(body), name)

    return use


def _check_parameters(name: str, signature: inspect.Signature) -> None:
    checks.identifier("a block", name)
    for key, parameter in signature.parameters.items():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise StoneError(*messages.variable_parameters(name, parameter))
        if key in ("name", "self", "in_channels", "in_features"):
            raise StoneError(*messages.parameter_name_taken(name, key))


def _parts(path: Path) -> tuple[Part, ...]:
    if isinstance(path, Sequential):
        return path.parts
    if isinstance(path, Layer | Fork | BlockUse):
        return (path,)
    if isinstance(path, list | tuple):
        return tuple(q for p in path for q in _parts(p))
    if isinstance(path, type):
        raise StoneError(*messages.class_for_layer(path.__name__))
    raise StoneError(*messages.thing_for_layer(repr(path)))
