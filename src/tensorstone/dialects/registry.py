"""The rooms: every framework and dialect there is, read from each room's `framework.toml`.

A room is one framework, unless its dialects need different environments: then each of its *builds*
is one (`keras3-torch`). Other *versions* are frameworks of their own too (`mxnet@1.3.1`), had for
the asking and never part of everything.
STONE_ROOMS may name more folders of rooms (as PATH names folders), for frameworks of your own.
"""

from __future__ import annotations

import os
import tomllib
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

from tensorstone.dialects import messages
from tensorstone.dialects.other_names import usual_name
from tensorstone.dialects.room_table import check
from tensorstone.runtime.spec import EnvironmentSpec, Need
from tensorstone.support.errors import StoneError
from tensorstone.support.naming import did_you_mean

OWN_ROOMS = Path(__file__).parent
DEFAULT_CONTESTANTS = ("pytorch/eager", "tensorflow/keras", "mxnet/gluon-static", "jax/flax")

Lane = Literal["idiomatic", "tuned"]
LANES: tuple[str, ...] = get_args(Lane)
Table = dict[str, Any]


@dataclass(frozen=True)
class Dialect:
    """One way of writing in a framework."""

    name: str  # "pytorch/eager", "mxnet@1.3.1/gluon"
    framework: str  # whose environment it runs in: "pytorch", "keras3-torch", "mxnet@1.3.1"
    lane: Lane
    meaning: str
    losses: Literal["batch", "call"] = "batch"  # what `train` returns one of: `fit` reports a mean
    outputs: Literal["logits", "probabilities"] = "logits"  # what `predict` returns for classes
    note: str = ""  # a handicap or a peculiarity, said beside its numbers
    defect: str = ""  # the deviation that it is known to have on some models (docs/findings.md)

    @property
    def short(self) -> str:
        return self.name.partition("/")[2]


@dataclass(frozen=True, kw_only=True)
class Framework(EnvironmentSpec):
    """A library at a pinned version in its own environment, and how it is written in."""

    home: str
    layout: Literal["NCHW", "NHWC"]
    conventions: tuple[str, ...] = ()  # permitted variants of a formula, see oracle.conventions
    dialects: tuple[Dialect, ...] = ()

    @property
    def bridge(self) -> Path:
        return self.room / "bridge.py"


@dataclass(frozen=True)
class Room:
    """A room's frameworks, and its other versions."""

    usual: list[Framework]
    versions: list[Framework]


def _read(toml: Path) -> Room:
    try:
        table: Table = tomllib.loads(toml.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise StoneError(*messages.not_toml(toml, error)) from error
    check(toml, table)
    room = toml.parent
    spoken: dict[str, Table] = table.pop("dialects")
    builds: dict[str, Table] = table.pop("builds", {})
    versions: dict[str, Table] = table.pop("versions", {})
    by_build: dict[str, dict[str, Table]] = {}
    for short, said in spoken.items():
        by_build.setdefault(said.pop("build", ""), {})[short] = said
    usual = [
        _framework(room, f"{room.name}-{build}", build, _over(table, builds[build]), theirs)
        if build
        else _framework(room, room.name, "", table, theirs)
        for build, theirs in by_build.items()
    ]
    others = []
    for version, said in versions.items():
        had = {short: spoken[short] for short in said.pop("dialects", spoken)}
        name = f"{room.name}@{version}"
        others.append(_framework(room, name, version, _over(table, said), had))
    return Room(usual, others)


def _over(table: Table, said: Table) -> Table:
    """What a variant says wins; its variables and shims join the others."""
    joined = {key: table.get(key, {}) | said.get(key, {}) for key in ("environment", "shims")}
    return {**table, **said, **joined}


def _framework(
    room: Path, name: str, variant: str, table: Table, spoken: dict[str, Table]
) -> Framework:
    table = dict(table)
    prefix = name if "@" in name else room.name
    note = table.pop("note", "")
    dialects = tuple(
        Dialect(
            **said
            | {
                "name": f"{prefix}/{short}",
                "framework": name,
                "note": "; ".join(filter(None, (note, said.get("note")))),
            }
        )
        for short, said in spoken.items()
    )
    for key in ("requirements", "conventions"):
        table[key] = tuple(table.get(key, ()))
    table["system"] = tuple(Need(**need) for need in table.get("system", ()))
    return Framework(name=name, room=room, variant=variant, dialects=dialects, **table)


def folders() -> list[Path]:
    """Where rooms are looked for, stone's own first."""
    words = os.environ.get("STONE_ROOMS", "").split(os.pathsep)
    more = [Path(word) for word in words if word]
    for folder in more:
        if not folder.is_dir():
            raise StoneError(*messages.no_rooms_folder(folder))
    return [OWN_ROOMS, *more]


@cache
def rooms() -> dict[str, Room]:
    """Every room, by name; `null` last because it measures only the harness."""
    tomls = [toml for folder in folders() for toml in sorted(folder.glob("*/framework.toml"))]
    found = {toml.parent.name: _read(toml) for toml in tomls}
    if "null" in found:
        found["null"] = found.pop("null")
    return found


def frameworks() -> dict[str, Framework]:
    """Every framework at its usual version, by name."""
    return {f.name: f for room in rooms().values() for f in room.usual}


def versions() -> dict[str, Framework]:
    """Every framework at its other versions, by name."""
    return {f.name: f for room in rooms().values() for f in room.versions}


def lookup(name: str) -> Framework:
    """The framework of that name, at whatever version it says."""
    return frameworks().get(name) or versions()[name]


def named(word: str) -> list[Framework]:
    """The frameworks a person means: one, one at another version, or all of a room."""
    name = word if word in rooms() else usual_name(word)
    if name in rooms():
        return rooms()[name].usual
    if name in frameworks() or name in versions():
        return [lookup(name)]
    known = list(dict.fromkeys([*rooms(), *frameworks(), *versions()]))
    near = did_you_mean(word, known, messages.WHERE_DIALECTS_STAND)
    raise StoneError(*messages.unknown_framework(word, near))


def dialects() -> dict[str, Dialect]:
    """Every dialect at its framework's usual version, by its full name."""
    return {d.name: d for f in frameworks().values() for d in f.dialects}


def select(words: list[str], lane: str | None = None, everything: bool = False) -> list[Dialect]:
    """The dialects a person named: dialects, whole frameworks, all of them, or the default four."""
    if lane is not None and lane not in LANES:
        raise StoneError(*messages.no_lane(lane))
    known = dialects()
    if words:
        chosen = [d for word in words for d in _in_lane(word, _meant(word), lane)]
    elif everything or lane:
        chosen = [d for d in known.values() if d.framework != "null"]
    else:
        chosen = [known[name] for name in DEFAULT_CONTESTANTS if name in known]
    if lane:
        chosen = [d for d in chosen if d.lane == lane]
    if not chosen:
        raise StoneError(*messages.empty_lane(lane))
    return list(dict.fromkeys(chosen))


def _in_lane(word: str, meant: list[Dialect], lane: str | None) -> list[Dialect]:
    """Of a framework those in the lane; a dialect that is named and in another is a mistake."""
    inside = [dialect for dialect in meant if lane in (None, dialect.lane)]
    if not inside:
        raise StoneError(*messages.in_another_lane(word, [(d.name, d.lane) for d in meant], lane))
    return inside


def _meant(word: str) -> list[Dialect]:
    known = dialects() | {d.name: d for f in versions().values() for d in f.dialects}
    name = word if word in known else usual_name(word)
    if name in known:
        return [known[name]]
    if "/" not in name:
        with suppress(StoneError):
            return [d for f in named(word) for d in f.dialects]
    names = list(dict.fromkeys([*rooms(), *known]))
    near = did_you_mean(name, names, messages.WHERE_DIALECTS_STAND)
    raise StoneError(*messages.unknown_dialect(word, near))
