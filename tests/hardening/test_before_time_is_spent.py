"""What cannot be done is said before work, and nothing is done that was not asked for."""

from __future__ import annotations

import shutil
import sqlite3
import time
from pathlib import Path

import pytest
from cli.conftest import Stone

from hardening.conftest import LINE, sound


@pytest.mark.parametrize("command", ["compare", "prove", "train"])
def test_a_newer_ledger_is_refused_before_any_proof(
    stone: Stone, tmp_path: Path, command: str
) -> None:
    (tmp_path / "data").mkdir()
    with sqlite3.connect(tmp_path / "data" / "ledger.sqlite") as db:
        db.execute("PRAGMA user_version = 9999")
    db.close()
    data = ["--data", "synthetic"] if command == "train" else []
    said = sound(stone(command, LINE, "-d", "null", *data))
    assert said.code == 2
    assert "newer tensorstone" in said.err
    assert "proof " not in said.err


@pytest.mark.parametrize("command", ["compare", "prove"])
def test_a_locked_ledger_is_said_before_any_proof(
    stone: Stone, tmp_path: Path, command: str
) -> None:
    sound(stone("runs"))
    holder = sqlite3.connect(tmp_path / "data" / "ledger.sqlite", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    said = sound(stone(command, LINE, "-d", "null"))
    holder.close()
    assert said.code == 2
    assert "in use by another process" in said.err
    assert "proof " not in said.err


def test_training_with_nobody_to_train_asks_for_no_baseline(stone: Stone) -> None:
    start = time.monotonic()
    words = ("train", "lstm-series-long", "-d", "null", "--data", "synthetic", "--json")
    said = sound(stone(*words))
    assert time.monotonic() - start < 20
    assert said.json["runs"][0]["baseline"]["value"] is None


def test_a_word_is_no_path_unless_it_looks_like_one(stone: Stone, tmp_path: Path) -> None:
    shutil.copy(LINE, tmp_path / "lenett")
    said = sound(stone("translate", "lenett", "--to", "null"))
    assert said.code == 2
    assert "did you mean lenet" in said.err
    assert sound(stone("translate", "./lenett", "--to", "null")).code == 0


PRINTS = "import os; os.write(1, b'low'); os.system('echo below'); print('high')\n"


def test_a_workload_file_that_prints_spoils_no_json(stone: Stone, tmp_path: Path) -> None:
    text = PRINTS + LINE.read_text(encoding="utf-8")
    (tmp_path / "mine.py").write_text(text, encoding="utf-8")
    said = sound(stone("translate", "./mine.py", "--to", "null", "--json"))
    assert said.json["cells"][0]["status"] == "ok"
    for word in ("low", "below", "high"):
        assert word in said.err
