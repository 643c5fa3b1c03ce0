"""A kept proof that was changed is not there: it is made again, and never believed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tensorstone.proof import cache
from tensorstone.results.outcome import OK
from tensorstone.results.proof import Error, Level, Proof

PROOF = Proof(OK, "sha", None, {"step": Level(1e-7, 1e-5, True, "w", "", {"w": Error(1e-7, 1e-5)})})


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STONE_CACHE", str(tmp_path))
    cache.keep("name", PROOF)
    (path,) = tmp_path.rglob("name.json")
    return path


def test_one_that_nobody_touched_is_found(kept: Path) -> None:
    assert cache.find("name") == PROOF


CHANGES = {
    "levels emptied": lambda text: text.replace('"levels":{', '"levels":{},"was":{'),
    "another status": lambda text: text.replace('"ok"', '"banana"'),
    "one that passed": lambda text: text.replace("true", "null"),
    "cut short": lambda text: text[: len(text) // 2],
    "null": lambda text: "null",
    "a list": lambda text: "[]",
    "deep": lambda text: "[" * 100_000,
    "nothing": lambda text: "",
}


@pytest.mark.parametrize("change", CHANGES)
def test_one_that_was_changed_is_not(kept: Path, change: str) -> None:
    text = kept.read_text(encoding="utf-8")
    altered = CHANGES[change](text)
    assert altered != text
    kept.write_text(altered, encoding="utf-8")
    assert cache.find("name") is None


@pytest.mark.parametrize("change", ["levels emptied", "another status", "null", "deep"])
def test_nor_one_whose_seal_fits_what_is_no_proof(kept: Path, change: str) -> None:
    body = CHANGES[change](kept.read_text(encoding="utf-8").partition("\n")[2])
    kept.write_text(f"{cache._seal('name', body)}\n{body}", encoding="utf-8")
    found = cache.find("name")
    assert found is None or found.levels == {}  # a well-formed proof, sealed: only we can seal


def test_nor_another_programs_proof_under_its_name(kept: Path) -> None:
    kept.rename(kept.with_name("other.json"))
    assert cache.find("other") is None


def test_nor_a_pipe_or_a_folder(kept: Path) -> None:
    kept.unlink()
    os.mkfifo(kept)
    assert cache.find("name") is None
    kept.unlink()
    kept.mkdir()
    assert cache.find("name") is None
