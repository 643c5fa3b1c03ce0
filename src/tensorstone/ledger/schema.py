"""The tables, as a list of migrations: entry i takes a ledger from version i to i + 1.

Times are Unix seconds. JSON columns hold what is only ever read whole.
A statement ends at the end of a line.
"""

from __future__ import annotations

MIGRATIONS: tuple[str, ...] = (
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
)
VERSION = len(MIGRATIONS)
