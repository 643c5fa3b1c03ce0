"""What a ledger of an earlier version knew, in today's words. Plain dictionaries on purpose: this
must go on working whatever today's values become."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from typing import Any

from tensorstone.ledger import messages

# What controls were called before they had a role.
AA_SUFFIX, ALLOCATOR_SUFFIX = " (again)", " (memory not kept)"
LARGEST = "1.7976931348623157e308"


def to_version_8(db: sqlite3.Connection) -> None:
    """Fill the columns that a version 7 ledger has just been given."""
    for row in db.execute("SELECT * FROM runs").fetchall():
        _run(db, dict(row))
    for row in db.execute("SELECT id, proof FROM cells WHERE proof IS NOT NULL").fetchall():
        proof = json.dumps(_proof(_read(row["proof"])))
        db.execute("UPDATE cells SET proof = ? WHERE id = ?", (proof, row["id"]))
    _controls(db)
    db.execute(
        "UPDATE trials SET deployment = replace(deployment, 'Infinity', ?)"
        " WHERE deployment LIKE '%Infinity%'",
        (LARGEST,),
    )


def _run(db: sqlite3.Connection, row: dict[str, Any]) -> None:
    plan, machine = _read(row["plan"]), _read(row["machine"])
    contestants = plan.get("contestants") or [{}]
    first = contestants[0] if isinstance(contestants[0], dict) else {}
    name = str(plan.get("workload", ""))
    details = machine.get("details") or {}
    uuid = hashlib.sha256(
        f"{row['plan_hash']} {row['started']} {row['owner_host']} {row['owner_pid']}".encode()
    ).hexdigest()[:32]
    workload = {
        "name": name,
        "title": name,
        "batch": _whole(first.get("batch")),
        "base": name.partition("-batch")[0],
    }
    db.execute(
        "UPDATE runs SET uuid = ?, series = ?, workload = ?, settings = ?, threads = ?,"
        " noise_floor = ?, machine = ?, command = ? WHERE id = ?",
        (
            uuid,
            uuid,
            json.dumps(workload),
            json.dumps(_settings(row["command"], plan)),
            _whole(first.get("threads")) or len(details.get("affinity") or []),
            machine.get("noise_floor"),
            json.dumps({**details, "name": details.get("hostname", "")}),
            row["command"].removeprefix("stone ").partition(" ")[0],
            row["id"],
        ),
    )


def _settings(command: str, plan: dict[str, Any]) -> dict[str, Any]:
    if "train" in command:
        epochs, seeds = _whole(plan.get("epochs")), _whole(plan.get("seeds"))
        return {
            "kind": "training",
            "epochs": epochs,
            "seeds": seeds,
            "timeout_s": 3600.0,
            "note": messages.FACTS_NOT_KEPT,
        }
    settings = dict(plan.get("settings") or {})
    if "life_rounds" in settings:
        settings["deployments"] = settings.pop("life_rounds")
    return {"kind": "race", **settings}


def _proof(said: dict[str, Any]) -> dict[str, Any]:
    """Levels stood beside the diagnosis; now they are below a key of their own."""
    levels = {key: value for key, value in said.items() if isinstance(value, dict)}
    passed = all(level.get("passed") is not False for level in levels.values())
    kept: dict[str, Any] = {
        "outcome": {"status": "ok" if passed else "unequal"},
        "levels": {name: {**_LEVEL, **level} for name, level in levels.items()},
    }
    for key in ("diagnosis", "first_layer", "detail", "conventions", "excluded"):
        if said.get(key) is not None:
            kept[key] = said[key]
    return kept


_LEVEL = {"error": None, "tolerance": None, "passed": None}


def _controls(db: sqlite3.Connection) -> None:
    """Second processes of a contestant had cells of their own; now they have a role."""
    for suffix, role in ((AA_SUFFIX, "aa-control"), (ALLOCATOR_SUFFIX, "allocator-control")):
        for cell in db.execute(
            "SELECT id, run, workload, dialect FROM cells WHERE dialect LIKE ?", (f"%{suffix}",)
        ).fetchall():
            own = db.execute(
                "SELECT id FROM cells WHERE run = ? AND workload = ? AND dialect = ?",
                (cell["run"], cell["workload"], cell["dialect"].removesuffix(suffix)),
            ).fetchone()
            if own is not None:
                db.execute(
                    "UPDATE trials SET cell = ?, role = ? WHERE cell = ?",
                    (own["id"], role, cell["id"]),
                )
                db.execute("DELETE FROM cells WHERE id = ?", (cell["id"],))


def _read(text: str) -> dict[str, Any]:
    """What was damaged then is not mended here: it counts as nothing said."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
