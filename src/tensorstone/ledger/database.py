"""Opening the ledger's file and writing to it, with every way that can fail said in plain words."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tensorstone.ledger import messages
from tensorstone.ledger.schema import MIGRATIONS, VERSION
from tensorstone.support.errors import StoneError

BUSY_S = 10.0


def connect(path: Path) -> tuple[sqlite3.Connection, Path | None]:
    """Open or make the ledger at `path`.

    A file that is damaged is moved aside, never deleted; where to is the second thing returned.
    """
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        aside = None if _is_sound(path) else _move_aside(path)
        return _prepared(path), aside


def _prepared(path: Path) -> sqlite3.Connection:
    connection = _open(path)
    try:
        _refuse_newer(connection, path)  # before anything is written to it
        connection.execute("PRAGMA journal_mode = WAL")
        # With WAL, NORMAL loses nothing when a process is killed; only a power cut may cost the
        # last moments. Waiting for the disk after every block would disturb the next one.
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
        _migrate(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _open(path: Path) -> sqlite3.Connection:
    # isolation_level None: transactions begin where the code says so, never behind its back.
    connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)
    connection.row_factory = sqlite3.Row
    return connection


def _is_sound(path: Path) -> bool:
    if not path.exists():
        return True
    connection = _open(path)
    try:
        return [tuple(row) for row in connection.execute("PRAGMA quick_check(1)")] == [("ok",)]
    except sqlite3.OperationalError:
        raise  # locked, unreadable, ...: nothing about the content
    except sqlite3.DatabaseError:
        return False  # not a database, or its pages make no sense
    finally:
        connection.close()


def _move_aside(path: Path) -> Path:
    stamp = time.strftime("%Y%m%dT%H%M%S")
    aside = path.with_name(f"{path.name}.damaged-{stamp}")
    number = 1
    while aside.exists():
        number += 1
        aside = path.with_name(f"{path.name}.damaged-{stamp}-{number}")
    for suffix in ("-wal", "-shm", ""):  # the ledger itself last: until then it is still found
        part = path.with_name(path.name + suffix)
        if part.exists():
            part.rename(aside.with_name(aside.name + suffix))
    return aside


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("BEGIN IMMEDIATE")  # two first runs at once: one migrates, one waits
    try:
        version = _refuse_newer(connection, path)  # it may have been upgraded meanwhile
        for migration in MIGRATIONS[version:]:
            if callable(migration):
                migration(connection)
                continue
            for statement in _statements(migration):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _refuse_newer(connection: sqlite3.Connection, path: Path) -> int:
    """The ledger's version."""
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version > VERSION:
        raise StoneError(*messages.written_by_newer(path, version, VERSION))
    return version


def _statements(script: str) -> Iterator[str]:
    """One at a time: `executescript` would commit the transaction first."""
    statement = ""
    for line in script.splitlines():
        statement += line + "\n"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


@contextmanager
def transaction(connection: sqlite3.Connection, path: Path) -> Iterator[sqlite3.Connection]:
    """All of it or none of it, on disk when left."""
    with explained(path):
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what SQLite and the disk say into what happened and what to do."""
    try:
        yield
    except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
        raise  # our own mistakes
    except (sqlite3.DatabaseError, OSError) as error:
        text = str(error).lower()
        if "locked" in text:
            raise StoneError(*messages.in_use(path)) from error
        if "full" in text or "no space" in text:
            raise StoneError(*messages.disk_full(path)) from error
        if "readonly" in text or "read-only" in text or "permission" in text:
            raise StoneError(*messages.not_writable(path)) from error
        raise StoneError(*messages.not_usable(path, error)) from error
