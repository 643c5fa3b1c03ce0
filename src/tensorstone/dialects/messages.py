"""What `dialects` says to a person: mistakes in names and in rooms (a pair: what happened, what to
do next), and the reasons for `Unsupported` that several rooms give.

A reason that is about one framework alone stands in its room, where it documents that framework;
one that several rooms give, with another framework's word in it, stands here. Reasons are one
line, shown behind the dialect's name; `leaf` is the layer's name.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from tensorstone.support.errors import Message

# Naming frameworks and dialects.


def unknown_framework(word: str, near: str) -> Message:
    return f"unknown framework {word!r}", near


def unknown_dialect(word: str, near: str) -> Message:
    return f"unknown dialect or framework {word!r}", near


WHERE_DIALECTS_STAND = "for all names, run: stone list dialects"


def no_lane(lane: str) -> Message:
    return f"there is no lane {lane!r}", "lanes are idiomatic and tuned"


def in_another_lane(word: str, dialects: Sequence[tuple[str, str]], lane: str | None) -> Message:
    """Every dialect that was meant by one word, with its own lane."""
    said = ", ".join(f"{name} is {its}" for name, its in dialects)
    return (
        f"{said}: not in the lane {lane!r}",
        f"leave out --lane {lane}, or leave out {word}",
    )


def empty_lane(lane: str | None) -> Message:
    return (
        f"none of these dialects is in the lane {lane!r}",
        "lanes are idiomatic and tuned: choose the other one, or other dialects",
    )


def no_rooms_folder(folder: Path) -> Message:
    return (
        f"STONE_ROOMS names {folder}, which is not a folder",
        f"name folders with {os.pathsep!r} between",
    )


# A room's framework.toml.

_WHAT_BELONGS = "docs/adding-a-framework.md says what belongs there"


def not_toml(toml: Path, error: object) -> Message:
    return f"{toml}: {error}", _WHAT_BELONGS


def no_build(toml: Path, dialect: str, build: str) -> Message:
    return f"{toml}: dialects.{dialect}: there is no [builds.{build}]", _WHAT_BELONGS


def no_dialect(toml: Path, version: str, dialect: str) -> Message:
    return f"{toml}: versions.{version}: there is no dialect {dialect!r}", _WHAT_BELONGS


def unknown_key(toml: Path, where: str, key: str, near: str) -> Message:
    return f"{toml}: {where}unknown key {key!r}", near


def wrong_value(toml: Path, where: str, key: str, value: object, choices: Sequence[str]) -> Message:
    return f"{toml}: {where}{key} is {value!r}", f"it is one of {', '.join(choices)}"


def missing_key(toml: Path, where: str, key: str) -> Message:
    return f"{toml}: {where}{key} is missing", _WHAT_BELONGS


# A room's own files, when a program is written.


def room_failed(place: str, kind: str, error: object, room: str, workload: str) -> Message:
    return (
        f"{place}: {kind}: {error}",
        f"{room} could not write {workload}: correct the room's file at that line",
    )


def does_not_parse(said: str) -> Message:
    return (
        f"an emitted program does not parse: {said}",
        "correct the room's layers.py or program.py.jinja",
    )


NO_RUFF = "ruff is missing, which formats the programs", "pip install ruff"

# Locking a room.


def accelerators(framework: str, packages: Sequence[str]) -> Message:
    return (
        f"{framework} would bring {', '.join(packages)}, which serve GPUs alone",
        "ask for the framework's CPU build in framework.toml, or name them under `requirements`",
    )


def command_failed(command: Sequence[str], said: str) -> Message:
    return f"{' '.join(command)} failed:\n{said}", ""


# Why a program is not written.


def same_program(dialect: str, why: str) -> str:
    return f"the same program as {dialect}: {why}"


def name_clash(name: str) -> str:
    return f"{name}: the name means something else in its program: rename it"


def no_python(error: object) -> str:
    return f"its program would be no Python: {error}"


# Reasons of several rooms: layers.


def not_written(leaf: str, kind: str, framework: str) -> str:
    return f"{leaf}: stone does not write {kind} in {framework}"


def no_groups(leaf: str, convolution: str) -> str:
    return f"{leaf}: {convolution} no groups"


def padding_in_mean(leaf: str, pooling: str) -> str:
    return (
        f"{leaf}: {pooling} can leave padding out of the mean only when it is the same on both "
        "sides"
    )


def much_padding_in_mean(leaf: str, pooling: str) -> str:
    return f"{padding_in_mean(leaf, pooling)} and at most half the kernel"


# Reasons of several rooms: sequences.


def tokens_as_floats(leaf: str, framework: str, exact: int) -> str:
    return f"{leaf}: tokens reach {framework} as float32, which tells {exact:,} of them apart"


def one_bias(leaf: str, layer: str) -> str:
    return f"{leaf}: {layer} has one bias, not two"


def two_biases_in_one(leaf: str, framework: str) -> str:
    return (
        f"{leaf}: {framework}'s GRU that resets after the product keeps its two biases in one "
        "variable, half of which cannot be frozen"
    )


def resets_after(leaf: str, layer: str) -> str:
    return f"{leaf}: {layer} applies the reset gate after the product with the state"


def resets_before(leaf: str, layer: str) -> str:
    return f"{leaf}: {layer} applies the reset gate before the product with the state"


def too_many_steps(who: str, steps: int, most: int) -> str:
    return f"{who}, and {steps:,} steps are too long to build: {most} at most"
