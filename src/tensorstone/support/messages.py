"""What `support` says to a person: durations and lists as typed, folders, files, the machine's
lock.

Every package that speaks to users has such a module. A message is a pair: what happened, and what
to do next; the module that notices the mistake raises it.
"""

from __future__ import annotations

from pathlib import Path

from tensorstone.support.errors import Message, cut

# Words of the command line.

_DURATION = "write it as 90s, 5m or 1h30m"


def not_a_duration(text: str) -> Message:
    return f"{cut(text)!r} is not a duration", _DURATION


def duration_too_long(text: str) -> Message:
    return f"{cut(text)!r} is longer than a year", _DURATION


def not_a_precision(text: str) -> Message:
    return f"{cut(text)!r} is not a precision", "write it as 2% or 0.02"


def not_numbers(text: str, what: str) -> Message:
    return f"{cut(text)!r} is not a list of {what}", "write whole numbers with commas: 1,8,32"


# Folders and files.


def no_such_user(variable: str, path: str, user: str) -> Message:
    return (
        f"{variable}={path}: there is no user {user!r} on this machine",
        f"set {variable} to a folder, such as ~/stone",
    )


def folder_not_made(what: str, path: Path, reason: str | None, variable: str) -> Message:
    return f"cannot make the {what} folder {path}: {reason}", _other_folder(variable)


def folder_not_writable(what: str, path: Path, variable: str) -> Message:
    return f"cannot write in the {what} folder {path}", _other_folder(variable)


def _other_folder(variable: str) -> str:
    return f"set {variable} to a folder you can write in"


def no_temporary_folder(reason: str | None) -> Message:
    return (
        f"cannot write in any temporary folder: {reason}",
        "free some disk space, or set TMPDIR to a folder you can write in",
    )


def temporary_folder_full(path: Path, reason: str | None) -> Message:
    return (
        f"the temporary folder {path} is full: {reason}",
        "free some space there, or set TMPDIR to another folder; what was measured is kept",
    )


def file_not_written(path: Path, reason: object) -> Message:
    return (
        f"cannot write {path}: {reason}",
        "check that its folder exists, that you may write in it, and that the disk has space",
    )


# The lock for timing.


def machine_busy(process: str) -> Message:
    return (
        f"another stone is timing on this machine (process {process})",
        "two at once would disturb each other: run this command again when it has ended",
    )
