"""The ledger: everything proven and measured, written the moment it exists. Reading is apart
(`reading.py`)."""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any

from msgspec.structs import astuple as values_of

from tensorstone.ledger import messages
from tensorstone.ledger.database import connect, explained, transaction
from tensorstone.ledger.owner import Owner, this_process
from tensorstone.ledger.rows import (
    BLOCK_COLUMNS,
    EPOCH_COLUMNS,
    TRIAL_COLUMNS,
    block_values,
    quoted,
    trial_values,
)
from tensorstone.results.codec import to_json
from tensorstone.results.outcome import Outcome
from tensorstone.results.program import Program
from tensorstone.results.proof import Proof
from tensorstone.results.run import CellRecord, Finding, Noise, RunFacts, RunStatus
from tensorstone.results.trial import Block, Epoch, Trial

SET_ASIDE = "interrupted"  # a trial that does not count


class Ledger:
    """One SQLite file. Every method that writes is one transaction of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection, self.moved_aside = connect(path)

    # Runs

    def begin(self, facts: RunFacts, plan_hash: str, plan: str = "{}") -> int:
        """A new run of this process's; its number. The facts' own number does not count."""
        return self._write(
            "INSERT INTO runs (command, plan_hash, plan, machine, started, status, uuid, series,"
            " words, version, workload, settings, threads, noise_floor, owner_host, owner_pid,"
            " owner_started) VALUES (?, ?, ?, ?, ?, 'running', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                facts.command,
                plan_hash,
                plan,
                to_json(facts.machine),
                facts.started,
                facts.uuid or uuid.uuid4().hex,
                facts.series,
                to_json(facts.words),
                facts.version,
                to_json(facts.workload),
                to_json(facts.settings),
                facts.threads,
                facts.noise_floor,
                *astuple(this_process()),
            ),
        )

    def resume(self, plan_hash: str, enough_blocks: int | None = None) -> int | None:
        """Take over the latest unfinished run of the same plan, if nobody is running it.

        Its complete trials count, and so does one in progress that had blocks enough; what was left
        of another is set aside.
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
                "UPDATE runs SET status = 'running', finished = NULL, owner_host = ?,"
                " owner_pid = ?, owner_started = ? WHERE id = ?",
                (*astuple(this_process()), run),
            )
            in_progress = "status = 'running' AND cell IN (SELECT id FROM cells WHERE run = ?)"
            if enough_blocks is not None:
                db.execute(
                    "UPDATE trials SET status = 'ok', notes = json_insert(notes, '$[#]', ?)"
                    f" WHERE {in_progress} AND json_valid(notes) AND"
                    " (SELECT count(*) FROM blocks WHERE trial = trials.id) >= ?",
                    (messages.CUT_SHORT, run, enough_blocks),
                )
            db.execute(f"UPDATE trials SET status = '{SET_ASIDE}' WHERE {in_progress}", (run,))
            return run

    def set_aside(self, trials: Sequence[int]) -> None:
        """Trials that cannot be read: they are kept, and made again."""
        with transaction(self._connection, self.path) as db:
            db.executemany(
                f"UPDATE trials SET status = '{SET_ASIDE}' WHERE id = ?",
                [(number,) for number in trials],
            )

    def restate(self, run: int, facts: RunFacts) -> None:
        """What a run that goes on is of: the same as before, unless its row was damaged."""
        self._write(
            "UPDATE runs SET command = ?, machine = ?, workload = ?, settings = ?, threads = ?,"
            " noise_floor = ?, version = ?, words = ?, started = CASE WHEN"
            " typeof(started) IN ('real', 'integer') THEN started ELSE ? END,"
            " uuid = CASE WHEN typeof(uuid) = 'text' THEN uuid ELSE ? END,"
            " series = CASE WHEN typeof(series) = 'text' THEN series ELSE ? END WHERE id = ?",
            (
                facts.command,
                to_json(facts.machine),
                to_json(facts.workload),
                to_json(facts.settings),
                facts.threads,
                facts.noise_floor,
                facts.version,
                to_json(facts.words),
                facts.started,
                facts.uuid,
                facts.series,
                run,
            ),
        )

    def keep_resumed(self, run: int, trials: int) -> None:
        """How many trials an earlier attempt had left."""
        self._write("UPDATE runs SET resumed = ? WHERE id = ?", (trials, run))

    def finish(self, run: int, status: RunStatus = "finished", note: str = "") -> None:
        self._write(
            "UPDATE runs SET status = ?, note = ?, finished = ? WHERE id = ?",
            (status, note, time.time(), run),
        )

    def keep_findings(self, run: int, findings: Sequence[Finding], noise: Noise | None) -> None:
        self._write(
            "UPDATE runs SET findings = ?, noise = ? WHERE id = ?",
            (to_json(list(findings)), to_json(noise) if noise else None, run),
        )

    # Programs and cells

    def keep_program(self, program: Program) -> None:
        """Its text, once; a damaged one is mended."""
        self._write(
            "INSERT OR REPLACE INTO programs (text, sha, workload_sha, dialect, lines, complexity)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            values_of(program),
        )

    def open_cell(self, run: int, workload: str, cell: CellRecord) -> int:
        """The cell's number; the same again when a run is resumed, with what is known now."""
        outcome = cell.outcome
        self._write(
            "INSERT INTO cells (run, workload, dialect, framework, version, lane, status, reason,"
            " last_output, lock_hash, program_hash, conditions, packages, proof, alias_of,"
            " known_defect, note) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (run, workload, dialect) DO UPDATE SET status = excluded.status,"
            " reason = excluded.reason, last_output = excluded.last_output,"
            " conditions = excluded.conditions, proof = excluded.proof",
            (
                run,
                workload,
                cell.dialect,
                cell.framework,
                cell.version,
                cell.lane,
                outcome.status if outcome else None,
                outcome.reason if outcome else "",
                outcome.last_output if outcome else "",
                cell.conditions.environment if cell.conditions else "",
                cell.program_sha,
                to_json(cell.conditions) if cell.conditions else None,
                to_json(cell.packages),
                to_json(cell.proof) if cell.proof else None,
                cell.alias_of,
                int(cell.known_defect),
                cell.note,
            ),
        )
        return int(
            self._read(
                "SELECT id FROM cells WHERE run = ? AND workload = ? AND dialect = ?",
                (run, workload, cell.dialect),
            )[0]["id"]
        )

    def keep_proof(self, cell: int, proof: Proof) -> None:
        self._write("UPDATE cells SET proof = ? WHERE id = ?", (to_json(proof), cell))

    def end_cell(self, cell: int, outcome: Outcome) -> None:
        self._write(
            "UPDATE cells SET status = ?, reason = ?, last_output = ? WHERE id = ?",
            (*values_of(outcome), cell),
        )

    # Trials and blocks

    def begin_trial(self, cell: int, trial: Trial) -> int:
        return self._write(
            'INSERT INTO trials (cell, round, place, "group", role, status, started)'
            " VALUES (?, ?, ?, ?, ?, 'running', ?)",
            (cell, trial.round, trial.place, trial.group, trial.role, time.time()),
        )

    def keep_block(self, trial: int, position: int, block: Block) -> None:
        self._write(
            f"INSERT INTO blocks (trial, position, {quoted(BLOCK_COLUMNS)})"
            f" VALUES (?, ?{', ?' * len(BLOCK_COLUMNS)})",
            (trial, position, *block_values(block)),
        )

    def keep_epoch(self, trial: int, epoch: Epoch) -> None:
        self._write(
            f"INSERT INTO epochs (trial, {quoted(EPOCH_COLUMNS)})"
            f" VALUES (?{', ?' * len(EPOCH_COLUMNS)})",
            (trial, *values_of(epoch)),
        )

    def end_trial(self, number: int, trial: Trial) -> None:
        self.keep_trial(number, trial, trial.outcome.status)

    def keep_trial(self, number: int, trial: Trial, status: str = "running") -> None:
        """What the trial came to so far; its blocks and epochs are kept one by one."""
        self._write(
            f"UPDATE trials SET ({quoted(('status', 'reason', 'last_output', *TRIAL_COLUMNS))})"
            f" = (?, ?, ?{', ?' * len(TRIAL_COLUMNS)}) WHERE id = ?",
            (status, *values_of(trial.outcome)[1:], *trial_values(trial), number),
        )

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
