"""Runs removed from the ledger, with the programs that no other run has."""

from __future__ import annotations

import contextlib
import platform
import sqlite3
from collections.abc import Sequence

from tensorstone.ledger import messages
from tensorstone.ledger.database import transaction
from tensorstone.ledger.ledger import Ledger
from tensorstone.ledger.merge import drop_unused, remove
from tensorstone.ledger.owner import Owner
from tensorstone.support.errors import StoneError


def forget(ledger: Ledger, runs: Sequence[int]) -> None:
    """Remove these runs: all of them, or none where one is still being measured."""
    with transaction(ledger._connection, ledger.path) as db:
        for run in runs:
            row = db.execute("SELECT * FROM runs WHERE id = ?", (run,)).fetchone()
            if row is None:  # another process was quicker
                continue
            owner = Owner(row["owner_host"], row["owner_pid"], row["owner_started"])
            here = owner.host == platform.node()  # of another machine's nothing can be known
            if row["status"] == "running" and here and not owner.is_gone():
                raise StoneError(*messages.being_measured(run, owner.pid))
            remove(db, run)
        drop_unused(db)
    # The room it took is given back; where another process has the ledger open, some other time.
    with contextlib.suppress(sqlite3.OperationalError):
        ledger._connection.execute("VACUUM")
