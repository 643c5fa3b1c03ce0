"""A row that was damaged is named and left out: the rest is shown, and a run goes on."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from cli.conftest import Stone

from hardening.conftest import LINE, sound

COMPARE = ("compare", LINE, "-d", "null", "--budget", "1s")
FIRST = "id = (SELECT min(id) FROM trials)"
DAMAGES = {
    "notes": f"UPDATE trials SET notes = 'garbage' WHERE {FIRST}",
    "deployment": f"UPDATE trials SET deployment = '[1,2]' WHERE {FIRST}",
    "wall of a trial": f"UPDATE trials SET wall_s = 'abc' WHERE {FIRST}",
    "wall of blocks": "UPDATE blocks SET wall_s = 'abc' WHERE position = 0",
    "no steps": "UPDATE blocks SET steps = 0 WHERE position = 0",
    "endless": "UPDATE blocks SET wall_s = 1e308",
    "infinite": "UPDATE blocks SET wall_s = 9e999 WHERE position = 0",
    "no blocks": "DELETE FROM blocks",
    "status": f"UPDATE trials SET status = 'banana' WHERE {FIRST}",
    "cell's status": "UPDATE cells SET status = 'banana'",
    "proof": "UPDATE cells SET proof = 'null'",
    "deep proof": "UPDATE cells SET proof = replace(hex(zeroblob(50000)), '0', '[')",
    "conditions": "UPDATE cells SET conditions = '[]'",
    "settings": "UPDATE runs SET settings = '{}'",
    "machine": "UPDATE runs SET machine = 'x'",
    "workload": "UPDATE runs SET workload = '[1]'",
    "command": "UPDATE runs SET command = 'sing'",
    "times": "UPDATE runs SET started = 'x', finished = 'y'",
    "bytes": f"UPDATE trials SET version = x'ff00' WHERE {FIRST}",
    "id": "UPDATE runs SET uuid = x'ff00'",
    "series": "UPDATE runs SET series = x'ff00'",
    "text": "UPDATE programs SET text = x'ff00', lines = 'x'",
}


def damage(folder: Path, *statements: str) -> None:
    with sqlite3.connect(folder / "data" / "ledger.sqlite") as db:
        for statement in statements:
            db.execute(statement)
    db.close()


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """One finished comparison."""
    import subprocess

    from cli.conftest import COMMAND, environment

    folder = tmp_path_factory.mktemp("measured")
    subprocess.run([*COMMAND, *map(str, COMPARE)], env=environment(folder), cwd=folder, check=True)
    with sqlite3.connect(folder / "data" / "ledger.sqlite") as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    return (folder / "data" / "ledger.sqlite").read_bytes()


@pytest.fixture
def measured(tmp_path: Path, ledger: bytes) -> Path:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "ledger.sqlite").write_bytes(ledger)
    return tmp_path


@pytest.mark.parametrize("kind", DAMAGES)
@pytest.mark.parametrize(
    "words",
    [("runs",), ("show",), ("show", "--notes"), ("show", "--proofs"), ("show", "--json")],
    ids=" ".join,
)
def test_it_is_read_all_the_same(stone: Stone, measured: Path, words, kind: str) -> None:
    damage(measured, DAMAGES[kind])
    sound(stone(*words))


@pytest.mark.parametrize("kind", ["notes", "deployment", "wall of a trial", "status", "bytes"])
def test_what_is_left_out_is_named(stone: Stone, measured: Path, kind: str) -> None:
    damage(measured, DAMAGES[kind])
    said = sound(stone("show"))
    assert "null/nothing" in said.out
    assert "damaged" in sound(stone("show", "--notes")).out


@pytest.mark.parametrize("kind", [k for k in DAMAGES if k not in ("command",)])
def test_an_unfinished_run_goes_on(stone: Stone, measured: Path, kind: str) -> None:
    damage(measured, DAMAGES[kind], "UPDATE runs SET status = 'interrupted'")
    said = sound(stone(*COMPARE, "--json"))
    assert said.code == 0, said.err
    assert said.cells["null/nothing"]["status"] == "ok"
