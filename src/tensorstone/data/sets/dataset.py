"""What is known of a data set before it is there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tensorstone.data.content import Arrays
from tensorstone.data.sources.source import Source


@dataclass(frozen=True)
class DataSet:
    """A set: one decoded content, several places to have it from."""

    name: str  # "mnist"
    title: str
    homepage: str  # the page that describes it
    checksum: str  # of the decoded arrays: content.checksum
    kept_bytes: int  # what the arrays take
    most: int  # bytes its files may unpack to before something is wrong with them
    decode: Callable[[Path, int], Arrays]  # a folder with its files, and `most`
    sources: tuple[Source, ...]  # in the order they are tried, a mirror folder before them
