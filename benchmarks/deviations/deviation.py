"""What a deviation is: one mistake in one workload, the edits that make it, what must be said."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from tensorstone.models.workload import Workload

Verdict = Literal["missed", "caught", "described", "wrong", "error"]


@dataclass(frozen=True)
class Swap:
    """One text for another, at every place or at the one numbered `at`: from 0, or −1 for the
    last."""

    old: str
    new: str
    times: int = 1  # how often `old` is in the program that is edited
    at: int | None = None

    def __call__(self, text: str) -> str:
        if self.at is None:
            return text.replace(self.old, self.new)
        parts = text.split(self.old)
        at = self.at if self.at >= 0 else len(parts) - 1 + self.at
        if not 0 <= at < len(parts) - 1:
            return text
        before, after = parts[: at + 1], parts[at + 1 :]
        return self.old.join(before) + self.new + self.old.join(after)


@dataclass(frozen=True)
class Edit:
    """Swaps, one after another. Programs that are emitted beside may lack what is swapped."""

    swaps: tuple[Swap, ...]

    def __call__(self, text: str) -> str:
        for swap in self.swaps:
            text = swap(text)
        return text

    def __add__(self, other: Edit) -> Edit:
        return Edit(self.swaps + other.swaps)

    def check(self, text: str) -> None:
        """Each swap finds what it replaces, exactly as often as it says."""
        for swap in self.swaps:
            found = text.count(swap.old)
            if found != swap.times:
                raise ValueError(f"{swap.old!r} is there {found} times, not {swap.times}")
            text = swap(text)


def swap(old: str, new: str, times: int = 1, at: int | None = None) -> Edit:
    return Edit((Swap(old, new, times, at),))


def before(line: str, text: str, times: int = 1) -> Edit:
    return swap(line, text + line, times)


def after(line: str, text: str, times: int = 1) -> Edit:
    return swap(line, line + text, times)


def torch_module(text: str) -> Edit:
    """In PyTorch, definitions of one's own before the model's."""
    return after(
        "from torch.utils.data import DataLoader, TensorDataset\n", f"\n\n{text.strip()}\n"
    )


@dataclass(frozen=True)
class Deviation:
    """`where` and all of `says` are patterns that a right description matches.

    `where` may also match the layer that the proof names beside its description. `true` are
    patterns of statements that are true, although less than `says` asks for.
    """

    key: str
    workload: Workload
    what: str
    edits: dict[str, Edit]  # by the dialect's name
    says: tuple[str, ...]
    where: str = ""
    true: tuple[str, ...] = ()
    blind: bool = False

    def verdict(self, status: str, reason: str, layer: str, named: bool) -> Verdict:
        """`named`: the proof claims to know what the mistake is."""
        if status == "ok":
            return "missed"
        if status != "unequal":
            return "error"  # the edit broke the program: nothing was proven
        if status == "unequal" and self._right(reason, layer):
            return "described"
        claims = status == "unequal" and named
        return "wrong" if claims and not _any(self.true, reason) else "caught"

    def _right(self, reason: str, layer: str) -> bool:
        place = f"{reason} {layer}"
        return _found(self.where, place) and all(_found(said, reason) for said in self.says)


@dataclass(frozen=True)
class Variation:
    """Another way to compute the same numbers: a proof must accept it."""

    key: str
    workload: Workload
    what: str
    edits: dict[str, Edit]


def _found(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None


def _any(patterns: tuple[str, ...], text: str) -> bool:
    return any(_found(pattern, text) for pattern in patterns)


TORCH, KERAS, FLAX, GLUON = "pytorch/eager", "tensorflow/keras", "jax/flax", "mxnet/gluon"


def deviation(
    key: str,
    workload: Workload,
    what: str,
    *,
    says: tuple[str, ...],
    where: str = "",
    true: tuple[str, ...] = (),
    blind: bool = False,
    torch: Edit | None = None,
    keras: Edit | None = None,
    flax: Edit | None = None,
    gluon: Edit | None = None,
) -> Deviation:
    """One mistake, said in as many dialects as have it."""
    edits = {TORCH: torch, KERAS: keras, FLAX: flax, GLUON: gluon}
    there = {name: edit for name, edit in edits.items() if edit is not None}
    return Deviation(key, workload, what, there, says, where, true, blind)
