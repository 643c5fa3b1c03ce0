"""What `report` says to a person about pictures: a pair, what happened and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tensorstone.support.errors import Message

NOTHING_TO_DRAW = "no picture was written: nothing was timed or trained to the end"


def no_picture(path: Path, endings: Sequence[str]) -> Message:
    return f"--plot {path}: no kind of picture ends so", f"use one of {', '.join(endings)}"


def no_picture_folder(path: Path) -> Message:
    return f"--plot {path}: its folder is not there", f"make it: mkdir -p {path.parent}"
