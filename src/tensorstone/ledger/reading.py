"""Reading runs back: every row is checked, and what is damaged is named and left out."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from msgspec import Struct

from tensorstone.ledger import messages
from tensorstone.ledger.database import explained
from tensorstone.ledger.ledger import Ledger
from tensorstone.ledger.rows import (
    BLOCK_COLUMNS,
    EPOCH_COLUMNS,
    blocks_of,
    columns,
    epoch_of,
    quoted,
    trial_of,
)
from tensorstone.results.codec import Damaged, checked, from_json
from tensorstone.results.conditions import Conditions
from tensorstone.results.machine import Machine
from tensorstone.results.outcome import Outcome
from tensorstone.results.program import Program
from tensorstone.results.proof import Proof
from tensorstone.results.run import (
    CellRecord,
    Finding,
    Noise,
    RunFacts,
    RunRecord,
    Summary,
    WorkloadFacts,
)
from tensorstone.results.settings import DoctorSettings, Settings
from tensorstone.results.trial import Block, Epoch, Trial

LARGEST = 2**62  # whole numbers of SQLite have 64 bits
_COUNTS = "SELECT id FROM trials WHERE status NOT IN ('running', 'interrupted')"
_UNKNOWN = Machine(
    "unknown", "", 0, None, (), 0, 0, "", "", "", "", None, None, None, None, None, ""
)


class _Damages:
    """What could not be read, in plain words."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.trials: list[int] = []

    def value(self, kind: Any, text: Any, default: Any, what: str) -> Any:
        if text is None:
            return default
        try:
            return from_json(kind, text)
        except (Damaged, TypeError) as error:
            self.found.append(messages.part_unreadable(what, error))
            return default


def summaries(ledger: Ledger, limit: int | None = None) -> list[Summary]:
    """Every run, the latest first."""
    rows = _rows(
        ledger,
        "SELECT runs.*, (SELECT json_group_array(dialect) FROM"
        " (SELECT dialect FROM cells WHERE run = runs.id ORDER BY id)) AS names,"
        " (SELECT count(*) FROM cells WHERE run = runs.id AND status = 'ok') AS good,"
        " (SELECT count(*) FROM trials WHERE cell IN (SELECT id FROM cells WHERE run = runs.id)"
        "  AND status NOT IN ('running', 'interrupted')) AS made"
        " FROM runs ORDER BY started DESC, id DESC"
        f" LIMIT {-1 if limit is None else min(limit, LARGEST)}",
    )
    damages = _Damages()
    return [
        Summary(
            _facts(row, damages),
            damages.value(tuple[str, ...], row["names"], (), "the names of cells"),
            row["good"],
            row["made"],
        )
        for row in rows
    ]


def numbers(ledger: Ledger) -> list[tuple[int, str, str]]:
    """Every run's number, id and series, the latest first."""
    rows = _rows(ledger, "SELECT id, uuid, series FROM runs ORDER BY started DESC, id DESC")
    return [(row["id"], str(row["uuid"]), str(row["series"])) for row in rows]


def record(ledger: Ledger, run: int) -> RunRecord:
    """Everything there is of a run."""
    return _record(ledger, run, _Damages())


def record_to_resume(ledger: Ledger, run: int) -> RunRecord:
    """The same for a run that goes on: trials that cannot be read are set aside, so that they are
    made again."""
    damages = _Damages()
    found = _record(ledger, run, damages)
    if damages.trials:
        ledger.set_aside(damages.trials)
    return found


def _record(ledger: Ledger, run: int, damages: _Damages) -> RunRecord:
    (row,) = _rows(ledger, "SELECT * FROM runs WHERE id = ?", (run,))
    facts = _facts(row, damages)
    cells = _rows(ledger, "SELECT * FROM cells WHERE run = ? ORDER BY id", (run,))
    records = tuple(_cell(cell, damages) for cell in cells)
    return RunRecord(
        facts=facts,
        cells=records,
        trials=tuple(_trials(ledger, run, damages)),
        programs=_programs(ledger, {cell.program_sha for cell in records}, damages),
        findings=damages.value(tuple[Finding, ...], row["findings"], (), "what the doctor found"),
        noise=damages.value(Noise | None, row["noise"], None, "the noise"),
        damaged=tuple(damages.found),
    )


def _facts(row: sqlite3.Row, damages: _Damages) -> RunFacts:
    what = f"run {row['id']}"
    try:
        return checked(
            RunFacts,
            {
                "number": row["id"],
                "uuid": row["uuid"],
                "series": row["series"],
                "command": row["command"],
                "workload": damages.value(
                    WorkloadFacts, row["workload"], WorkloadFacts("?", "?"), f"{what}: its workload"
                ),
                "settings": damages.value(
                    Settings, row["settings"], DoctorSettings(), f"{what}: its settings"
                ),
                "machine": damages.value(Machine, row["machine"], _UNKNOWN, f"{what}: its machine"),
                "started": row["started"],
                "status": row["status"],
                "words": damages.value(tuple[str, ...], row["words"], (), f"{what}: its command"),
                "version": row["version"],
                "threads": row["threads"],
                "noise_floor": row["noise_floor"],
                "finished": row["finished"],
                "why": row["note"],
                "resumed": row["resumed"],
            },
        )
    except Damaged as error:
        damages.found.append(messages.run_damaged(what, error))
        return RunFacts(
            int(row["id"]), str(row["uuid"]), str(row["series"]), "doctor",
            WorkloadFacts("damaged", "damaged"), DoctorSettings(), _UNKNOWN, 0.0,
        )  # fmt: skip


def _cell(row: sqlite3.Row, damages: _Damages) -> CellRecord:
    what = f"{row['dialect']}: its"
    outcome = None
    if row["status"] is not None:
        try:
            outcome = checked(
                Outcome, {key: row[key] for key in ("status", "reason", "last_output")}
            )
        except Damaged as error:
            damages.found.append(messages.part_unreadable(f"{what} outcome", error))
    return CellRecord(
        dialect=str(row["dialect"]),
        framework=str(row["framework"]),
        version=str(row["version"]),
        lane=str(row["lane"]),
        outcome=outcome,
        program_sha=str(row["program_hash"]),
        conditions=damages.value(Conditions, row["conditions"], None, f"{what} conditions"),
        packages=damages.value(dict[str, str], row["packages"], {}, f"{what} packages"),
        proof=damages.value(Proof, row["proof"], None, f"{what} proof"),
        alias_of=str(row["alias_of"]),
        known_defect=bool(row["known_defect"]),
        note=str(row["note"]),
    )


def _trials(ledger: Ledger, run: int, damages: _Damages) -> Iterator[Trial]:
    mine = f"{_COUNTS} AND cell IN (SELECT id FROM cells WHERE run = ?)"
    rows = _rows(
        ledger,
        "SELECT trials.*, cells.dialect FROM trials JOIN cells ON cells.id = trials.cell"
        f" WHERE trials.id IN ({mine}) ORDER BY trials.id",
        (run,),
    )
    blocks = _grouped(
        ledger,
        f"SELECT trial, {quoted(BLOCK_COLUMNS)} FROM blocks WHERE trial IN ({mine})"
        " ORDER BY trial, position",
        run,
    )
    epochs = _grouped(
        ledger,
        f"SELECT trial, {quoted(EPOCH_COLUMNS)} FROM epochs WHERE trial IN ({mine})"
        " ORDER BY trial, number",
        run,
    )
    for row in rows:
        number = row["id"]
        try:
            yield trial_of(
                dict(row), _blocks(blocks.get(number, [])), _epochs(epochs.get(number, []))
            )
        except Damaged as error:
            damages.trials.append(number)
            lost = messages.trial_damaged(row["dialect"], row["round"], error)
            damages.found.append(lost)


def _blocks(rows: list[tuple[Any, ...]]) -> tuple[Block, ...]:
    return blocks_of([row[1:] for row in rows])


def _epochs(rows: list[tuple[Any, ...]]) -> tuple[Epoch, ...]:
    return tuple(epoch_of(dict(zip(EPOCH_COLUMNS, row[1:], strict=True))) for row in rows)


def _grouped(ledger: Ledger, sql: str, run: int) -> dict[int, list[tuple[Any, ...]]]:
    """Rows by their first column, without the cost of named ones: there may be a million."""
    with explained(ledger.path):
        cursor = ledger._connection.cursor()
        cursor.row_factory = None
        rows = cursor.execute(sql, (run,)).fetchall()
    return {trial: list(group) for trial, group in groupby(rows, key=lambda row: row[0])}


def _programs(ledger: Ledger, shas: set[str], damages: _Damages) -> dict[str, Program]:
    found = {}
    for sha in sorted(shas):
        for row in _rows(ledger, "SELECT * FROM programs WHERE sha = ?", (sha,)):
            try:
                found[sha] = checked(Program, {name: row[name] for name in columns(Program)})
            except Damaged as error:
                damages.found.append(messages.part_unreadable(f"the program {sha[:8]}", error))
    return found


def _rows(ledger: Ledger, sql: str, values: Sequence[Any] = ()) -> list[sqlite3.Row]:
    return ledger._read(sql, tuple(values))


class State(Struct, frozen=True):
    """What changes with anything that is kept of a run."""

    number: int
    uuid: str
    command: str
    status: str
    finished: float | None
    trials: int
    blocks: int


def state(ledger: Ledger, run: int) -> State:
    """Where a run stands, cheaply."""
    (row,) = _rows(
        ledger,
        "SELECT id, uuid, command, status, finished,"
        " (SELECT count(*) FROM trials JOIN cells ON cells.id = trials.cell"
        "  WHERE cells.run = runs.id AND trials.status NOT IN ('running', 'interrupted')) AS made,"
        " (SELECT count(*) FROM blocks WHERE trial IN (SELECT trials.id FROM trials"
        "  JOIN cells ON cells.id = trials.cell WHERE cells.run = runs.id)) AS blocks"
        " FROM runs WHERE id = ?",
        (run,),
    )
    return State(
        row["id"],
        str(row["uuid"]),
        str(row["command"]),
        str(row["status"]),
        row["finished"],
        row["made"],
        row["blocks"],
    )
