"""Runs of another ledger, put beside this one's: each by its id, none twice.

The other file is copied first, and only the copy is opened: it is brought to today's format there,
and the file itself stays as it is.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from tensorstone.ledger import messages
from tensorstone.ledger.database import connect, explained, transaction
from tensorstone.ledger.ledger import Ledger
from tensorstone.ledger.schema import VERSION
from tensorstone.support.errors import StoneError

HEADER = b"SQLite format 3\0"
TABLES = {"runs", "cells", "trials", "blocks"}  # of every version


class Merged(Struct, frozen=True):
    """What a merge came to: the numbers of runs that are new here, and of those that were here
    unfinished and are complete now; how many were here already."""

    added: tuple[int, ...]
    completed: tuple[int, ...]
    known: int


def merge(ledger: Ledger, path: Path) -> Merged:
    """All runs of the ledger at `path` that are not here yet."""
    if os.path.exists(path) and path.samefile(ledger.path):  # noqa: PTH110 (or for names too long)
        raise StoneError(*messages.own_ledger(path))
    with _copied(path) as copy:
        with explained(ledger.path):
            ledger._connection.execute("ATTACH DATABASE ? AS other", (str(copy),))
        try:
            with transaction(ledger._connection, ledger.path) as db:
                return _merged(db)
        finally:
            ledger._connection.execute("DETACH DATABASE other")


def _merged(db: sqlite3.Connection) -> Merged:
    here = {row["uuid"]: row for row in db.execute("SELECT id, uuid, status FROM main.runs")}
    added, completed, known = [], [], 0
    for row in db.execute("SELECT id, uuid, status FROM other.runs ORDER BY started, id"):
        ours = here.get(row["uuid"])
        if ours is None:
            added.append(_take(db, row["id"]))
        elif (ours["status"], row["status"]) == ("interrupted", "finished"):
            remove(db, ours["id"])
            completed.append(_take(db, row["id"], ours["id"]))
        else:
            known += 1
    db.execute("INSERT OR IGNORE INTO main.programs SELECT * FROM other.programs")
    drop_unused(db)
    return Merged(tuple(added), tuple(completed), known)


def _take(db: sqlite3.Connection, other: int, number: int | None = None) -> int:
    """Copy one run; its number here.

    It is never resumed here (no plan), and is not under way here whatever its file says."""
    run = int(
        db.execute(
            f"INSERT INTO main.runs ({_columns(db, 'runs')}, id)"
            f" SELECT {_columns(db, 'runs')}, ? FROM other.runs WHERE id = ?",
            (number, other),
        ).lastrowid
        or 0
    )
    db.execute("UPDATE main.runs SET plan_hash = '' WHERE id = ?", (run,))
    db.execute(
        "UPDATE main.runs SET status = 'interrupted' WHERE id = ? AND status = 'running'", (run,)
    )
    cells, trials = _last(db, "cells"), _last(db, "trials")
    db.execute(
        f"INSERT INTO main.cells (id, run, {_columns(db, 'cells', 'run')})"
        f" SELECT id + ?, ?, {_columns(db, 'cells', 'run')} FROM other.cells WHERE run = ?",
        (cells, run, other),
    )
    mine = "SELECT id FROM other.cells WHERE run = ?"
    db.execute(
        f"INSERT INTO main.trials (id, cell, {_columns(db, 'trials', 'cell')})"
        f" SELECT id + ?, cell + ?, {_columns(db, 'trials', 'cell')} FROM other.trials"
        f" WHERE cell IN ({mine})",
        (trials, cells, other),
    )
    for table in ("blocks", "epochs"):
        db.execute(
            f"INSERT INTO main.{table} (trial, {_columns(db, table, 'trial')})"
            f" SELECT trial + ?, {_columns(db, table, 'trial')} FROM other.{table}"
            f" WHERE trial IN (SELECT id FROM other.trials WHERE cell IN ({mine}))",
            (trials, other),
        )
    return run


def remove(db: sqlite3.Connection, run: int) -> None:
    """A run and all that hangs on it, but for programs."""
    cells = "SELECT id FROM main.cells WHERE run = ?"
    trials = f"SELECT id FROM main.trials WHERE cell IN ({cells})"
    for table in ("blocks", "epochs"):
        db.execute(f"DELETE FROM main.{table} WHERE trial IN ({trials})", (run,))
    db.execute(f"DELETE FROM main.trials WHERE cell IN ({cells})", (run,))
    db.execute("DELETE FROM main.cells WHERE run = ?", (run,))
    db.execute("DELETE FROM main.runs WHERE id = ?", (run,))


def drop_unused(db: sqlite3.Connection) -> None:
    """Programs that no run has any more; a proof is its cell's, and went with it."""
    db.execute("DELETE FROM main.programs WHERE sha NOT IN (SELECT program_hash FROM main.cells)")


def _columns(db: sqlite3.Connection, table: str, *without: str) -> str:
    names = [row["name"] for row in db.execute(f"PRAGMA main.table_info({table})")]
    return ", ".join(f'"{name}"' for name in names if name not in ("id", *without))


def _last(db: sqlite3.Connection, table: str) -> int:
    """The greatest number in a table: those that follow it are free."""
    return int(db.execute(f"SELECT coalesce(max(id), 0) FROM main.{table}").fetchone()[0])


@contextmanager
def _copied(path: Path) -> Iterator[Path]:
    """A copy of the ledger at `path` in today's format."""
    with TemporaryDirectory(prefix="tensorstone-merge-") as folder:
        copy = Path(folder) / "ledger.sqlite"
        _copy(path, copy)
        _check(path, copy)
        try:
            connection, _ = connect(copy)
        except StoneError as error:
            why = error.message.replace(str(copy), str(path))
            raise StoneError(*messages.damaged(path, why)) from None
        connection.close()
        yield copy


def _copy(path: Path, copy: Path) -> None:
    """The file, and what a process that still has it open has written beside it."""
    try:
        if path.is_fifo():  # it would never end
            raise StoneError(*messages.no_ledger(path))
        with path.open("rb") as file:
            if file.read(len(HEADER)) != HEADER:
                raise StoneError(*messages.no_ledger(path))
        for suffix in ("", "-wal"):
            part = path.with_name(path.name + suffix)
            if part.exists():
                shutil.copyfile(part, copy.with_name(copy.name + suffix))
    except OSError as error:
        raise StoneError(*messages.cannot_copy(path, error.strerror or error)) from None


def _check(path: Path, copy: Path) -> None:
    """Refuse what is no ledger, is damaged, or was written by a newer tensorstone."""
    try:
        with closing(sqlite3.connect(copy)) as connection:
            sound = connection.execute("PRAGMA quick_check(1)").fetchall() == [("ok",)]
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    except sqlite3.DatabaseError as error:
        raise StoneError(*messages.damaged(path, str(error))) from None
    if not sound:
        raise StoneError(*messages.damaged(path, messages.PAGES_DISAGREE))
    if version > VERSION:
        raise StoneError(*messages.other_is_newer(path, version, VERSION))
    if version < 1 or not tables >= TABLES:
        raise StoneError(*messages.no_ledger(path))
