"""What the ledger says to a person: a file that cannot be used (a pair: what happened, what to do
next), and what of a run could not be read (one line, shown with the run)."""

from __future__ import annotations

from pathlib import Path

from tensorstone.support.errors import Message

# Opening and writing a ledger.

_GO_ON = "nothing measured so far is lost: run the same command again to go on"


def written_by_newer(path: Path, version: int, known: int) -> Message:
    return (
        f"the ledger {path} was written by a newer tensorstone (format {version}, "
        f"this one knows {known})",
        "upgrade tensorstone, or set STONE_DATA to another folder",
    )


def in_use(path: Path) -> Message:
    return f"the ledger {path} is in use by another process", f"wait for it to end; {_GO_ON}"


def disk_full(path: Path) -> Message:
    return f"the disk that holds the ledger {path} is full", f"make room there; {_GO_ON}"


def not_writable(path: Path) -> Message:
    return f"the ledger {path} cannot be written", f"check its permissions; {_GO_ON}"


def not_usable(path: Path, error: object) -> Message:
    return (
        f"the ledger {path} cannot be used: {error}",
        "check that its folder exists on a working disk and can be written",
    )


# Merging another ledger.


def own_ledger(path: Path) -> Message:
    return f"{path} is your own ledger", "give the path of another machine's ledger.sqlite"


def no_ledger(path: Path) -> Message:
    return (
        f"{path} is not a ledger",
        "give the path of a file that stone wrote, such as other/ledger.sqlite",
    )


def cannot_copy(path: Path, error: object) -> Message:
    return (
        f"cannot copy the ledger {path}: {error}",
        "check that it is there and that the folder for temporary files has room for it",
    )


def other_is_newer(path: Path, version: int, known: int) -> Message:
    message, _ = written_by_newer(path, version, known)
    return message, "upgrade tensorstone here"


def damaged(path: Path, why: str) -> Message:
    return (
        f"the ledger {path} is damaged: {why}",
        "copy it anew while nothing is being measured there; nothing was merged",
    )


PAGES_DISAGREE = "its pages do not agree with each other"

# Forgetting runs.


def being_measured(run: int, process: int | None) -> Message:
    return (
        f"run {run} is being measured by process {process}",
        "wait for it to end, or stop it; nothing was removed",
    )


# What of a run could not be read, or is of a run that was killed.


def run_damaged(run: str, error: object) -> str:
    return f"{run} is damaged: {error}"


def part_unreadable(what: str, error: object) -> str:
    return f"{what} cannot be read: {error}"


def trial_damaged(dialect: str, round: int, error: object) -> str:
    return f"{dialect}, round {round}: a trial is damaged and left out: {error}"


NEITHER_0_NOR_1 = "a block's `disturbed` is neither 0 nor 1"
CUT_SHORT = "a trial was cut short when its run was killed; its blocks until then count"
FACTS_NOT_KEPT = "made by an earlier version, which kept neither the data's facts nor the baseline"
