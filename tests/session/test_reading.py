"""Runs as a person names them: by number, `latest`, a span, or the beginning of an id."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_up import FACTS, RECORD
from msgspec.structs import replace

from tensorstone.ledger import Ledger
from tensorstone.ledger.forget import forget
from tensorstone.results.program import Program
from tensorstone.session import reading
from tensorstone.support.errors import StoneError

# Of two commands; the second made two runs. Two ids begin alike.
RUNS = (("abcd0001" * 4, "one"), ("abcd0002" * 4, "two"), ("12345678" * 4, "two"))
PROGRAM = Program("print()\n", "program", "", RECORD.dialect)


@pytest.fixture
def kept(tmp_path: Path) -> Ledger:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    for uuid, series in RUNS:
        run = ledger.begin(replace(FACTS, uuid=uuid, series=series), "")
        ledger.open_cell(run, FACTS.workload.name, RECORD)
        ledger.finish(run)
    ledger.keep_program(PROGRAM)
    return ledger


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], [2, 3]),  # all runs of the latest command
        (["latest"], [3]),
        (["1"], [1]),
        (["1-2"], [1, 2]),
        (["2..9"], [2, 3]),
        (["abcd0001"], [1]),
        (["abcd0002abcd"], [2]),
        (["1234"], [3]),
        (["3", "1", "3"], [3, 1]),
        (["latest", "1-3"], [3, 1, 2]),
    ],
)
def test_runs_are_named(kept: Ledger, words: list[str], expected: list[int]) -> None:
    assert reading.runs(kept, words) == expected


def test_an_id_that_looks_like_a_number_is_a_number_where_there_is_such_a_run(kept: Ledger) -> None:
    assert reading.runs(kept, ["3"]) == [3]
    assert reading.runs(kept, ["123456781234"]) == [3]


def test_an_id_that_several_runs_share_is_ambiguous(kept: Ledger) -> None:
    with pytest.raises(StoneError, match="2 runs have an id that begins with abcd") as caught:
        reading.runs(kept, ["abcd"])
    assert "more of the id" in caught.value.hint


@pytest.mark.parametrize("word", ["4", "0", "-1", "7-9", "3-2", "last", "ffff", "abc", "", "²"])
def test_what_names_no_run_is_said(kept: Ledger, word: str) -> None:
    with pytest.raises(StoneError) as caught:
        reading.runs(kept, [word])
    assert caught.value.message == f"there is no run {word!r}"
    assert "runs are 1 to 3" in caught.value.hint and "stone runs" in caught.value.hint


def test_an_empty_ledger_says_how_to_fill_it(tmp_path: Path) -> None:
    with Ledger(tmp_path / "empty.sqlite") as empty:
        for words in ([], ["latest"], ["1"]):
            with pytest.raises(StoneError, match="has no runs yet") as caught:
                reading.runs(empty, words)
            assert "stone compare" in caught.value.hint


def test_after_a_run_is_forgotten_its_name_names_nothing(kept: Ledger) -> None:
    forget(kept, [1])
    assert reading.runs(kept, ["abcd"]) == [2], "no longer ambiguous"
    with pytest.raises(StoneError, match="there is no run '1'") as caught:
        reading.runs(kept, ["1"])
    assert "runs are 2 to 3" in caught.value.hint


def test_a_program_is_read_again_and_a_misspelt_dialect_said(kept: Ledger) -> None:
    assert reading.program(kept, [], RECORD.dialect) == PROGRAM
    with pytest.raises(StoneError, match="no program in 'pytorch/eagre'") as caught:
        reading.program(kept, [], "pytorch/eagre")
    assert RECORD.dialect in caught.value.hint
