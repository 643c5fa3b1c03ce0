"""Checks on what a person writes: each says whose value it is, what is wrong, and what is right."""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Sequence

from tensorstone.models import messages
from tensorstone.support.errors import StoneError
from tensorstone.support.naming import did_you_mean

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
        raise StoneError(*messages.not_whole(owner, key, value, least))
    if value < least:
        raise StoneError(*messages.too_small(owner, key, value, least))


def number(
    owner: str, key: str, value: object, *, least: float = -math.inf, below: float = math.inf
) -> None:
    """A finite number in [least, below)."""
    real = isinstance(value, int | float) and not isinstance(value, bool)
    if not real or not math.isfinite(value):  # type: ignore[arg-type]
        raise StoneError(*messages.not_a_number(owner, key, value))
    assert isinstance(value, int | float)
    if value < least:
        raise StoneError(*messages.too_small(owner, key, value, least))
    if value >= below:
        raise StoneError(*messages.too_large(owner, key, value, below))


def positive(owner: str, key: str, value: object) -> None:
    """A finite number above zero."""
    number(owner, key, value, least=0)
    if value == 0:
        raise StoneError(*messages.zero(owner, key))


def flag(owner: str, key: str, value: object) -> None:
    """True or False, not something that counts as one."""
    if not isinstance(value, bool):
        raise StoneError(*messages.not_a_flag(owner, key, value))


def choice(owner: str, key: str, value: object, known: Sequence[str]) -> None:
    """One of a few words."""
    if value not in known:
        near = did_you_mean(str(value), list(known))
        raise StoneError(*messages.unknown_choice(owner, key, value, near))


def identifier(what: str, name: object) -> None:
    """A name an emitted program can use: `what` is "a layer", "a model"."""
    if not isinstance(name, str) or not name.isascii() or not name.isidentifier():
        raise StoneError(*messages.not_an_identifier(name, what))
    if keyword.iskeyword(name) or name.startswith("_") or name in TAKEN:
        raise StoneError(*messages.name_has_meaning(name, what))


def word(owner: str, key: str, value: object) -> None:
    """A name for files and tables: small letters, digits, hyphens."""
    if not isinstance(value, str) or not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", value):
        raise StoneError(*messages.not_a_word(owner, key, value))


def line(owner: str, key: str, value: object) -> None:
    """One line of text that can stand in a program's docstring."""
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise StoneError(*messages.not_a_line(owner, key, value))
    if '"' in value or "\\" in value:
        raise StoneError(*messages.breaks_docstring(owner, key))


def kind(owner: str, key: str, value: object, wanted: type) -> None:
    """An object of the wanted class."""
    if not isinstance(value, wanted):
        given = value.__name__ if isinstance(value, type) else f"a {type(value).__name__}"
        raise StoneError(*messages.wrong_kind(owner, key, given, wanted.__name__))
