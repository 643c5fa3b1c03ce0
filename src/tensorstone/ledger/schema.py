"""The tables, as a list of migrations: entry i takes a ledger from version i to i + 1.

Times are Unix seconds. JSON columns hold what is only ever read whole.
A statement ends at the end of a line.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from tensorstone.ledger.migrate import to_version_8

MIGRATIONS: tuple[str | Callable[[sqlite3.Connection], None], ...] = (
    """
    CREATE TABLE runs (
        id            INTEGER PRIMARY KEY,
        command       TEXT NOT NULL,
        plan_hash     TEXT NOT NULL,
        plan          TEXT NOT NULL,               -- JSON
        machine       TEXT NOT NULL,               -- JSON
        started       REAL NOT NULL,
        finished      REAL,
        status        TEXT NOT NULL,               -- running, finished, interrupted
        note          TEXT NOT NULL DEFAULT '',    -- why it ended
        owner_host    TEXT NOT NULL,
        owner_pid     INTEGER NOT NULL,
        owner_started REAL NOT NULL                -- a pid alone may be reused
    );
    CREATE INDEX runs_by_plan ON runs(plan_hash, status);

    CREATE TABLE cells (
        id           INTEGER PRIMARY KEY,
        run          INTEGER NOT NULL REFERENCES runs(id),
        workload     TEXT NOT NULL,
        dialect      TEXT NOT NULL,
        framework    TEXT NOT NULL,
        version      TEXT NOT NULL,
        lane         TEXT NOT NULL,
        status       TEXT,                         -- null while open
        reason       TEXT NOT NULL DEFAULT '',
        last_words   TEXT NOT NULL DEFAULT '',
        proof        TEXT,                         -- JSON
        lock_hash    TEXT NOT NULL,
        program_hash TEXT NOT NULL,
        UNIQUE (run, workload, dialect)
    );

    CREATE TABLE trials (
        id                INTEGER PRIMARY KEY,
        cell              INTEGER NOT NULL REFERENCES cells(id),
        round             INTEGER NOT NULL,
        place             INTEGER NOT NULL,        -- in the round's order
        status            TEXT NOT NULL,           -- an outcome, or running, or interrupted
        reason            TEXT NOT NULL DEFAULT '',
        last_words        TEXT NOT NULL DEFAULT '',
        version           TEXT NOT NULL DEFAULT '',
        cold_import_s     REAL,
        cold_build_s      REAL,
        cold_first_step_s REAL,
        warmup_steps      INTEGER NOT NULL DEFAULT 0,
        peak_rss_bytes    INTEGER,
        cpu_use           REAL,
        wall_s            REAL,
        notes             TEXT NOT NULL DEFAULT '[]', -- JSON
        started           REAL NOT NULL
    );
    -- A trial counts once; what an interruption left of one is kept beside it.
    CREATE UNIQUE INDEX one_trial_a_round ON trials(cell, round) WHERE status <> 'interrupted';

    CREATE TABLE blocks (
        trial        INTEGER NOT NULL REFERENCES trials(id),
        position     INTEGER NOT NULL,
        steps        INTEGER NOT NULL,
        wall_s       REAL NOT NULL,
        cpu_s        REAL NOT NULL,
        minor_faults INTEGER NOT NULL,
        major_faults INTEGER NOT NULL,
        voluntary    INTEGER NOT NULL,
        involuntary  INTEGER NOT NULL,
        PRIMARY KEY (trial, position)
    ) WITHOUT ROWID;
    """,
    """
    -- One trial of a whole training is one seed; these are its epochs.
    CREATE TABLE epochs (
        trial      INTEGER NOT NULL REFERENCES trials(id),
        number     INTEGER NOT NULL,
        steps      INTEGER NOT NULL,
        loss       REAL NOT NULL,
        metric     REAL NOT NULL,
        train_s    REAL NOT NULL,
        feed_s     REAL NOT NULL,
        evaluate_s REAL NOT NULL,
        PRIMARY KEY (trial, number)
    ) WITHOUT ROWID;
    """,
    """
    -- What was measured beside and after the steps, every call of it; JSON, null if nothing was.
    ALTER TABLE trials ADD COLUMN feeding TEXT;
    ALTER TABLE trials ADD COLUMN worked_feeding TEXT;
    ALTER TABLE trials ADD COLUMN life TEXT;
    """,
    """
    -- Contestants of one group take turns: a block's position is its turn. What could not be read
    -- is null.
    ALTER TABLE trials ADD COLUMN "group" INTEGER NOT NULL DEFAULT 0;
    -- One that others are compared through sits in several groups of a round.
    DROP INDEX one_trial_a_round;
    CREATE UNIQUE INDEX one_trial_a_group ON trials(cell, round, "group")
        WHERE status <> 'interrupted';
    ALTER TABLE trials ADD COLUMN warmup_s REAL NOT NULL DEFAULT 0;
    ALTER TABLE trials ADD COLUMN private_bytes INTEGER;
    ALTER TABLE trials ADD COLUMN running_threads REAL;
    ALTER TABLE trials ADD COLUMN energy_j REAL;
    ALTER TABLE blocks ADD COLUMN system_s REAL;
    ALTER TABLE blocks ADD COLUMN instructions INTEGER;
    ALTER TABLE blocks ADD COLUMN outside REAL;
    ALTER TABLE blocks ADD COLUMN disturbed INTEGER NOT NULL DEFAULT 0;
    """,
    """
    ALTER TABLE trials ADD COLUMN gpu_bytes INTEGER;
    ALTER TABLE trials DROP COLUMN energy_j;
    ALTER TABLE blocks ADD COLUMN energy_j REAL;
    """,
    """
    ALTER TABLE trials ADD COLUMN others_busy REAL;
    """,
    """
    -- A run can be shown and repeated from here alone: programs by content, the workload as data,
    -- conditions, and a name that is the same in every ledger.
    CREATE TABLE programs (
        sha          TEXT PRIMARY KEY,             -- of the text
        workload_sha TEXT NOT NULL,
        dialect      TEXT NOT NULL,
        lines        INTEGER NOT NULL,
        complexity   INTEGER NOT NULL,
        text         TEXT NOT NULL
    ) WITHOUT ROWID;
    ALTER TABLE runs ADD COLUMN uuid TEXT NOT NULL DEFAULT '';
    ALTER TABLE runs ADD COLUMN series TEXT NOT NULL DEFAULT '';    -- the same for one command
    ALTER TABLE runs ADD COLUMN words TEXT NOT NULL DEFAULT '[]';   -- JSON: the command line
    ALTER TABLE runs ADD COLUMN version TEXT NOT NULL DEFAULT '';   -- of tensorstone
    ALTER TABLE runs ADD COLUMN workload TEXT NOT NULL DEFAULT '{}';  -- JSON
    ALTER TABLE runs ADD COLUMN settings TEXT NOT NULL DEFAULT '{}';  -- JSON
    ALTER TABLE runs ADD COLUMN threads INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE runs ADD COLUMN noise_floor REAL;
    ALTER TABLE runs ADD COLUMN resumed INTEGER NOT NULL DEFAULT 0; -- trials kept from before
    ALTER TABLE runs ADD COLUMN findings TEXT NOT NULL DEFAULT '[]';  -- JSON, the doctor's
    ALTER TABLE runs ADD COLUMN noise TEXT;                         -- JSON, the doctor's
    ALTER TABLE cells ADD COLUMN conditions TEXT;                   -- JSON
    ALTER TABLE cells ADD COLUMN packages TEXT NOT NULL DEFAULT '{}'; -- JSON
    ALTER TABLE cells ADD COLUMN alias_of TEXT NOT NULL DEFAULT '';
    ALTER TABLE cells ADD COLUMN known_defect INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE cells ADD COLUMN note TEXT NOT NULL DEFAULT '';
    ALTER TABLE trials RENAME COLUMN life TO deployment;
    ALTER TABLE trials RENAME COLUMN private_bytes TO unique_bytes;
    ALTER TABLE trials RENAME COLUMN others_busy TO background_load;
    ALTER TABLE trials RENAME COLUMN last_words TO last_output;
    ALTER TABLE cells RENAME COLUMN last_words TO last_output;
    ALTER TABLE blocks RENAME COLUMN outside TO background_load;
    -- A control is a trial of its contestant's cell, in another role.
    ALTER TABLE trials ADD COLUMN role TEXT NOT NULL DEFAULT 'contestant';
    DROP INDEX one_trial_a_group;
    CREATE UNIQUE INDEX one_trial_a_role ON trials(cell, role, round, "group")
        WHERE status <> 'interrupted';
    CREATE INDEX cells_by_run ON cells(run);
    CREATE INDEX trials_by_cell ON trials(cell);
    """,
    to_version_8,
    """
    CREATE UNIQUE INDEX runs_by_uuid ON runs(uuid);
    CREATE INDEX runs_by_series ON runs(series);
    """,
)
VERSION = len(MIGRATIONS)
