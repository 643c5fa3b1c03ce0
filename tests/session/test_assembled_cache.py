"""What is kept of an assembled run is used only while it is whole and nothing has changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_up import FACTS, RECORD
from msgspec.structs import replace

from tensorstone.ledger import Ledger
from tensorstone.results.comparison import Comparison
from tensorstone.results.outcome import Outcome
from tensorstone.results.trial import Block, Trial
from tensorstone.session import assembled_cache
from tensorstone.support.folders import cache_dir

pytestmark = pytest.mark.usefixtures("rooms")
BLOCK = Block(10, 1.0, 0.9, 1, 0, 3, 2)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Every run that was assembled anew."""
    found: list[int] = []
    assemble = assembled_cache.assemble

    def counted(record: object) -> object:
        found.append(record.facts.number)  # type: ignore[attr-defined]
        return assemble(record)  # type: ignore[arg-type]

    monkeypatch.setattr(assembled_cache, "assemble", counted)
    return found


@pytest.fixture
def run(ledger: Ledger) -> int:
    """A finished run of one trial."""
    number = begin(ledger, "a" * 32)
    cell = ledger.open_cell(number, "lenet", RECORD)
    keep(ledger, cell, 1)
    ledger.finish(number)
    return number


def begin(ledger: Ledger, uuid: str) -> int:
    return ledger.begin(replace(FACTS, uuid=uuid, series=uuid), "hash")


def keep(ledger: Ledger, cell: int, round: int) -> None:
    trial = Trial(RECORD.dialect, round, 0, blocks=(BLOCK, BLOCK))
    number = ledger.begin_trial(cell, trial)
    for position, block in enumerate(trial.blocks):
        ledger.keep_block(number, position, block)
    ledger.end_trial(number, trial)


def kept() -> list[Path]:
    return sorted((cache_dir() / "assembled").glob("*.bin"))


def test_a_finished_run_is_assembled_once(ledger: Ledger, run: int, made: list[int]) -> None:
    first = assembled_cache.assembled(ledger, run)
    assert assembled_cache.assembled(ledger, run) == first
    assert isinstance(first, Comparison)
    assert first.cells[0].metrics["step_s"].value == pytest.approx(0.1)
    assert made == [run]


def test_a_run_that_went_on_is_assembled_anew(ledger: Ledger, run: int, made: list[int]) -> None:
    assembled_cache.assembled(ledger, run)
    keep(ledger, ledger.open_cell(run, "lenet", RECORD), 2)
    ledger.finish(run)
    again = assembled_cache.assembled(ledger, run)
    assert isinstance(again, Comparison) and again.rounds == 2
    assert made == [run, run]


def test_a_run_under_way_is_shown_as_it_is_now(ledger: Ledger) -> None:
    number = begin(ledger, "b" * 32)
    assert assembled_cache.assembled(ledger, number).cells == ()
    refused = replace(RECORD, outcome=Outcome("unsupported", "a reason"))
    ledger.open_cell(number, "lenet", refused)
    (cell,) = assembled_cache.assembled(ledger, number).cells
    assert cell.reason == "a reason"


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.999])
def test_a_changed_byte_is_not_accepted(
    ledger: Ledger, run: int, made: list[int], share: float
) -> None:
    first = assembled_cache.assembled(ledger, run)
    (file,) = kept()
    data = bytearray(file.read_bytes())
    data[int(share * len(data))] ^= 1
    file.write_bytes(data)
    assert assembled_cache.assembled(ledger, run) == first
    assert made == [run, run]


@pytest.mark.parametrize("data", [b"", b"short", b"\0" * 100])
def test_what_was_cut_short_is_not_accepted(
    ledger: Ledger, run: int, made: list[int], data: bytes
) -> None:
    first = assembled_cache.assembled(ledger, run)
    kept()[0].write_bytes(data)
    assert assembled_cache.assembled(ledger, run) == first
    assert made == [run, run]


def test_another_run_s_result_is_not_accepted(ledger: Ledger, run: int, made: list[int]) -> None:
    other = begin(ledger, "c" * 32)
    ledger.finish(other)
    assembled_cache.assembled(ledger, run)
    (mine,) = kept()
    data = mine.read_bytes()
    empty = assembled_cache.assembled(ledger, other)
    (theirs,) = set(kept()) - {mine}
    theirs.write_bytes(data)
    assert assembled_cache.assembled(ledger, other) == empty
    assert made == [run, other, other]
