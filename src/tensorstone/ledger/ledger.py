"""The ledger: everything measured, written the moment it exists."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal

from tensorstone.ledger.database import connect, explained, transaction
from tensorstone.ledger.owner import Owner, this_process
from tensorstone.ledger.rows import (
    BLOCK_COLUMNS,
    EPOCH_COLUMNS,
    block_of,
    epoch_of,
    packed,
    trial_of,
)
from tensorstone.results.epoch import Epoch
from tensorstone.results.outcome import Outcome
from tensorstone.results.trial import Block, Trial

RunStatus = Literal["running", "finished", "interrupted"]
CUT_SHORT = "a trial was cut short when its run was killed; its blocks until then count"


@dataclass(frozen=True)
class Cell:
    """One dialect on one workload: what it is, before anything is measured."""

    workload: str
    dialect: str
    framework: str
    version: str
    lane: str
    lock_hash: str = ""
    program_hash: str = ""


class Ledger:
    """One SQLite file. Every method that writes is one transaction of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection, self.moved_aside = connect(path)

    # Runs

    def begin(
        self, command: str, plan_hash: str, plan: Mapping[str, Any], machine: Mapping[str, Any]
    ) -> int:
        """A new run of this process's; its number."""
        described = json.dumps(plan), json.dumps(machine)
        return self._write(
            "INSERT INTO runs (command, plan_hash, plan, machine, started, status,"
            " owner_host, owner_pid, owner_started) VALUES (?, ?, ?, ?, ?, 'running', ?, ?, ?)",
            (command, plan_hash, *described, time.time(), *astuple(this_process())),
        )

    def resume(self, plan_hash: str, enough_blocks: int | None = None) -> int | None:
        """Take over the latest unfinished run of the same plan, if nobody is running it.

        Its complete trials count, and so does one in progress that had blocks enough; what was left
        of another is marked as interrupted.
        """
        with transaction(self._connection, self.path) as db:
            rows = db.execute(
                "SELECT * FROM runs WHERE plan_hash = ? AND status <> 'finished' ORDER BY id DESC",
                (plan_hash,),
            ).fetchall()
            for row in rows:
                owner = Owner(row["owner_host"], row["owner_pid"], row["owner_started"])
                if row["status"] == "interrupted" or owner.is_gone():
                    break
            else:
                return None
            run = int(row["id"])
            db.execute(
                "UPDATE runs SET status = 'running', owner_host = ?, owner_pid = ?,"
                " owner_started = ? WHERE id = ?",
                (*astuple(this_process()), run),
            )
            in_progress = "status = 'running' AND cell IN (SELECT id FROM cells WHERE run = ?)"
            if enough_blocks is not None:
                db.execute(
                    "UPDATE trials SET status = 'ok', notes = json_insert(notes, '$[#]', ?)"
                    f" WHERE {in_progress} AND"
                    " (SELECT count(*) FROM blocks WHERE trial = trials.id) >= ?",
                    (CUT_SHORT, run, enough_blocks),
                )
            db.execute(f"UPDATE trials SET status = 'interrupted' WHERE {in_progress}", (run,))
            return run

    def finish(self, run: int, status: RunStatus = "finished", note: str = "") -> None:
        self._write(
            "UPDATE runs SET status = ?, note = ?, finished = ? WHERE id = ?",
            (status, note, time.time(), run),
        )

    # Cells

    def open_cell(self, run: int, cell: Cell) -> int:
        """The cell's number; the same again when a run is resumed."""
        self._write(
            "INSERT OR IGNORE INTO cells (run, workload, dialect, framework, version, lane,"
            " lock_hash, program_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (run, *astuple(cell)),
        )
        return int(
            self._read(
                "SELECT id FROM cells WHERE run = ? AND workload = ? AND dialect = ?",
                (run, cell.workload, cell.dialect),
            )[0]["id"]
        )

    def open_again(self, cell: int, dialect: str) -> int:
        """A cell like this one under another name: a contestant's second seat."""
        found = self._read("SELECT * FROM cells WHERE id = ?", (cell,))[0]
        twin = Cell(**{field.name: found[field.name] for field in fields(Cell)})
        return self.open_cell(found["run"], replace(twin, dialect=dialect))

    def keep_proof(self, cell: int, proof: Mapping[str, Any]) -> None:
        self._write("UPDATE cells SET proof = ? WHERE id = ?", (json.dumps(proof), cell))

    def end_cell(self, cell: int, outcome: Outcome) -> None:
        self._write(
            "UPDATE cells SET status = ?, reason = ?, last_words = ? WHERE id = ?",
            (*astuple(outcome), cell),
        )

    # Trials and blocks

    def begin_trial(self, cell: int, round: int, order: int, group: int = 0) -> int:
        return self._write(
            'INSERT INTO trials (cell, round, place, "group", status, started)'
            " VALUES (?, ?, ?, ?, 'running', ?)",
            (cell, round, order, group, time.time()),
        )

    def keep_block(self, trial: int, position: int, block: Block) -> None:
        self._write(
            f"INSERT INTO blocks (trial, position, {', '.join(BLOCK_COLUMNS)})"
            f" VALUES (?, ?{', ?' * len(BLOCK_COLUMNS)})",
            (trial, position, *astuple(block)),
        )

    def keep_epoch(self, trial: int, epoch: Epoch) -> None:
        self._write(
            f"INSERT INTO epochs (trial, {', '.join(EPOCH_COLUMNS)})"
            f" VALUES (?{', ?' * len(EPOCH_COLUMNS)})",
            (trial, *astuple(epoch)),
        )

    def end_trial(self, number: int, trial: Trial) -> None:
        self.keep_trial(number, trial, trial.outcome.status)

    def keep_trial(self, number: int, trial: Trial, status: str = "running") -> None:
        """What the trial came to so far; its blocks are kept one by one."""
        self._write(
            "UPDATE trials SET status = ?, reason = ?, last_words = ?, version = ?,"
            " cold_import_s = ?, cold_build_s = ?, cold_first_step_s = ?, warmup_steps = ?,"
            " warmup_s = ?, private_bytes = ?, running_threads = ?, gpu_bytes = ?,"
            " peak_rss_bytes = ?, cpu_use = ?, others_busy = ?, wall_s = ?, notes = ?,"
            " feeding = ?, worked_feeding = ?, life = ? WHERE id = ?",
            (
                status,
                trial.outcome.reason,
                trial.outcome.last_words,
                trial.version,
                trial.cold_import_s,
                trial.cold_build_s,
                trial.cold_first_step_s,
                trial.warmup_steps,
                trial.warmup_s,
                trial.private_bytes,
                trial.running_threads,
                trial.gpu_bytes,
                trial.peak_rss_bytes,
                trial.cpu_use,
                trial.others_busy,
                trial.wall_s,
                json.dumps(trial.notes),
                packed(trial.feeding),
                packed(trial.worked_feeding),
                packed(trial.life),
                number,
            ),
        )

    # Reading

    def trials(self, run: int, workload: str) -> list[Trial]:
        """Every complete trial of a run on a workload, in the order they were made."""
        rows = self._read(
            "SELECT trials.*, cells.dialect FROM trials JOIN cells ON cells.id = trials.cell"
            " WHERE cells.run = ? AND cells.workload = ?"
            " AND trials.status NOT IN ('running', 'interrupted') ORDER BY trials.id",
            (run, workload),
        )
        return [trial_of(row, self._blocks(row["id"])) for row in rows]

    def epochs(self, run: int, workload: str) -> dict[tuple[str, int], tuple[Epoch, ...]]:
        """The epochs of every complete trial, by dialect and round."""
        rows = self._read(
            "SELECT epochs.*, cells.dialect, trials.round FROM epochs"
            " JOIN trials ON trials.id = epochs.trial JOIN cells ON cells.id = trials.cell"
            " WHERE cells.run = ? AND cells.workload = ?"
            " AND trials.status NOT IN ('running', 'interrupted') ORDER BY trials.id, number",
            (run, workload),
        )
        found: dict[tuple[str, int], tuple[Epoch, ...]] = {}
        for row in rows:
            trial = row["dialect"], row["round"]
            found[trial] = (*found.get(trial, ()), epoch_of(row))
        return found

    def cells(self, run: int) -> list[dict[str, Any]]:
        """Every cell of a run as it stands, its proof unpacked."""
        rows = self._read("SELECT * FROM cells WHERE run = ? ORDER BY id", (run,))
        return [
            {**dict(row), "proof": json.loads(row["proof"]) if row["proof"] else None}
            for row in rows
        ]

    def runs(self) -> list[dict[str, Any]]:
        """Every run, the latest first, without its plan."""
        return [
            {**dict(row), "machine": json.loads(row["machine"])}
            for row in self._read(
                "SELECT id, command, plan_hash, machine, started, finished, status, note"
                " FROM runs ORDER BY id DESC"
            )
        ]

    def _blocks(self, trial: int) -> tuple[Block, ...]:
        rows = self._read("SELECT * FROM blocks WHERE trial = ? ORDER BY position", (trial,))
        return tuple(block_of(row) for row in rows)

    def _read(self, sql: str, values: tuple[Any, ...] = ()) -> list[Any]:
        with explained(self.path):
            return self._connection.execute(sql, values).fetchall()

    def _write(self, sql: str, values: tuple[Any, ...]) -> int:
        with transaction(self._connection, self.path) as db:
            return int(db.execute(sql, values).lastrowid or 0)

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
