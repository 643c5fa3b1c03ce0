"""Checks on what a person writes: each says whose value it is, what is wrong, and what is right."""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Sequence

from tensorstone.support.errors import StoneError, did_you_mean

# Names that already mean something in an emitted program, or on the module classes of one framework
# or another, so that a layer kept as an attribute under them would break it.
_TAKEN = """
apply build call cast children compile cpu cuda double dtype eval export fit float forward half
hybrid_forward hybridize initialize inputs layers load loss losses metrics modules name
optimizer outputs parameters params predict prefix save self state_dict summary to train
trainable training type variables weights x y F batches gluon jax jnp keras learner mx network
nn nnx np optax sys tf torch
"""
TAKEN = frozenset(_TAKEN.split())


def whole(owner: str, key: str, value: object, least: int) -> None:
    """A whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int):
        hint = f"give {key} a whole number of at least {least}"
        if isinstance(value, float):
            hint += "; // divides whole numbers, / makes fractions"
        raise StoneError(f"{owner}: {key} is {value!r}, not a whole number", hint)
    if value < least:
        raise StoneError(f"{owner}: {key} is {value}, below {least}", f"give it at least {least}")


def number(
    owner: str, key: str, value: object, *, least: float = -math.inf, below: float = math.inf
) -> None:
    """A finite number in [least, below)."""
    real = isinstance(value, int | float) and not isinstance(value, bool)
    if not real or not math.isfinite(value):  # type: ignore[arg-type]
        raise StoneError(f"{owner}: {key} is {value!r}, not a finite number", f"give {key} one")
    assert isinstance(value, int | float)
    if value < least:
        raise StoneError(
            f"{owner}: {key} is {value:g}, below {least:g}", f"give at least {least:g}"
        )
    if value >= below:
        raise StoneError(
            f"{owner}: {key} is {value:g}, not below {below:g}", f"give less than {below:g}"
        )


def positive(owner: str, key: str, value: object) -> None:
    """A finite number above zero."""
    number(owner, key, value, least=0)
    if value == 0:
        raise StoneError(f"{owner}: {key} is 0", f"give {key} a number above 0")


def flag(owner: str, key: str, value: object) -> None:
    """True or False, not something that counts as one."""
    if not isinstance(value, bool):
        raise StoneError(f"{owner}: {key} is {value!r}", f"give {key} True or False")


def choice(owner: str, key: str, value: object, known: Sequence[str]) -> None:
    """One of a few words."""
    if value not in known:
        raise StoneError(f"{owner}: unknown {key} {value!r}", did_you_mean(str(value), list(known)))


def identifier(what: str, name: object) -> None:
    """A name an emitted program can use: `what` is "a layer", "a model"."""
    if not isinstance(name, str) or not name.isascii() or not name.isidentifier():
        raise StoneError(
            f"{name!r} cannot be {what}'s name",
            "use letters, digits and underscores, a letter first",
        )
    if keyword.iskeyword(name) or name.startswith("_") or name in TAKEN:
        raise StoneError(
            f"{name} cannot be {what}'s name: it means something in Python or in a framework",
            f"call it {name.strip('_')}1, or what it is for",
        )


def word(owner: str, key: str, value: object) -> None:
    """A name for files and tables: small letters, digits, hyphens."""
    if not isinstance(value, str) or not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", value):
        raise StoneError(
            f"{owner}: {key} is {value!r}",
            f"write the {key} in small letters, digits and hyphens: my-net",
        )


def line(owner: str, key: str, value: object) -> None:
    """One line of text that can stand in a program's docstring."""
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise StoneError(
            f"{owner}: {key} is {value!r}, not one line of text",
            f"give {key} one line of printable text",
        )
    if '"' in value or "\\" in value:
        raise StoneError(
            f"{owner}: {key} has a double quote or a backslash in it",
            "it stands in the docstring of every program: leave them out",
        )


def kind(owner: str, key: str, value: object, wanted: type) -> None:
    """An object of the wanted class."""
    if not isinstance(value, wanted):
        given = value.__name__ if isinstance(value, type) else f"a {type(value).__name__}"
        raise StoneError(f"{owner}: {key} is {given}", f"write {key}={wanted.__name__}(…)")
