"""The rooms: every framework and dialect there is, read from each room's `framework.toml`.

STONE_ROOMS may name more folders of rooms (as PATH names folders), for frameworks of your own.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from tensorstone.errors import StoneError, did_you_mean

OWN_ROOMS = Path(__file__).parent
DEFAULT_CONTESTANTS = ("pytorch/eager", "tensorflow/keras", "mxnet/gluon-static", "jax/flax")

Lane = Literal["idiomatic", "tuned"]


@dataclass(frozen=True)
class Dialect:
    """One way of writing in a framework."""

    name: str  # "pytorch/eager"
    framework: str
    lane: Lane
    meaning: str
    losses: Literal["batch", "call"] = "batch"  # what `train` returns one of: `fit` reports a mean
    outputs: Literal["logits", "probabilities"] = "logits"  # what `predict` returns for classes
    note: str = ""  # a handicap or a peculiarity, said beside its numbers

    @property
    def short(self) -> str:
        return self.name.partition("/")[2]


@dataclass(frozen=True)
class Framework:
    """A library at a pinned version in its own environment."""

    name: str
    room: Path
    title: str
    home: str
    python: str  # "3.11"; "" for a room that runs in stone's own interpreter
    package: str  # the distribution whose version is the framework's
    requirements: tuple[str, ...]
    layout: Literal["NCHW", "NHWC"]
    conventions: tuple[str, ...] = ()  # permitted variants of a formula, see oracle.conventions
    environment: dict[str, str] = field(default_factory=dict)  # {threads} is filled in
    dialects: tuple[Dialect, ...] = ()

    @property
    def bridge(self) -> Path:
        return self.room / "bridge.py"

    @property
    def lock(self) -> Path:
        return self.room / "requirements.lock"

    @property
    def pin(self) -> str:
        """The version of the framework itself, as its room pins it."""
        for requirement in self.requirements:
            name, _, version = requirement.partition("==")
            if name == self.package:
                return version
        return ""


def _framework(toml: Path) -> Framework:
    table: dict[str, Any] = tomllib.loads(toml.read_text(encoding="utf-8"))
    name = toml.parent.name
    dialects = tuple(
        Dialect(name=f"{name}/{short}", framework=name, **fields)
        for short, fields in table.pop("dialects").items()
    )
    for key in ("requirements", "conventions"):
        table[key] = tuple(table.get(key, ()))
    return Framework(name=name, room=toml.parent, dialects=dialects, **table)


def folders() -> list[Path]:
    """Where rooms are looked for, stone's own first."""
    more = os.environ.get("STONE_ROOMS", "").split(os.pathsep)
    return [OWN_ROOMS, *(Path(folder) for folder in more if folder)]


@cache
def frameworks() -> dict[str, Framework]:
    """Every room, by name; `null` last because it measures only the harness."""
    tomls = [toml for folder in folders() for toml in sorted(folder.glob("*/framework.toml"))]
    found = {toml.parent.name: _framework(toml) for toml in tomls}
    if "null" in found:
        found["null"] = found.pop("null")
    return found


def dialects() -> dict[str, Dialect]:
    """Every dialect, by its full name."""
    return {d.name: d for framework in frameworks().values() for d in framework.dialects}


def select(words: list[str], lane: str | None = None, everything: bool = False) -> list[Dialect]:
    """The dialects a person named: dialects, whole frameworks, all of them, or the default four."""
    known = dialects()
    if words:
        chosen = [d for word in words for d in _named(word.strip(), known)]
    elif everything or lane:
        chosen = [d for d in known.values() if d.framework != "null"]
    else:
        chosen = [known[name] for name in DEFAULT_CONTESTANTS if name in known]
    if lane:
        chosen = [d for d in chosen if d.lane == lane]
    if not chosen:
        raise StoneError(f"no dialect is in the lane {lane!r}", "lanes are idiomatic and tuned")
    return list(dict.fromkeys(chosen))


def _named(word: str, known: dict[str, Dialect]) -> list[Dialect]:
    if word in known:
        return [known[word]]
    if word in frameworks():
        return list(frameworks()[word].dialects)
    raise StoneError(
        f"unknown dialect or framework {word!r}", did_you_mean(word, [*frameworks(), *known])
    )
