"""A ledger that an earlier version really made is migrated, and shows what that version showed."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from old_ledger import PACKED, unpack

from tensorstone.analysis.assemble import assemble
from tensorstone.ledger import Ledger, reading
from tensorstone.ledger.schema import VERSION
from tensorstone.results.comparison import Comparison, Training
from tensorstone.results.run import RunRecord
from tensorstone.results.settings import RaceSettings, TrainingSettings
from tensorstone.support.errors import StoneError

# As that version's tables had them: seconds a step, rank.
RACE = {"pytorch/eager": (4.02e-3, 1), "mlx/compile": (63.0e-3, 2), "mlx/eager": (62.0e-3, 2)}
SERIES = {"mlx/eager": (2.08e-3, 2.05e-3, 2.11e-3), "chainer/ideep": (4.78e-3, 4.76e-3, 4.79e-3)}


@pytest.fixture
def records(tmp_path: Path) -> dict[int, RunRecord]:
    with Ledger(unpack(tmp_path)) as ledger:
        return {number: reading.record(ledger, number) for number, _, _ in reading.numbers(ledger)}


def test_the_fixture_is_small() -> None:
    assert PACKED.stat().st_size < 200_000


def test_every_run_is_read_without_damage(records: dict[int, RunRecord]) -> None:
    assert {number: record.facts.command for number, record in records.items()} == {
        1: "compare", 2: "compare", 3: "train", 4: "compare",
    }  # fmt: skip
    assert [record.damaged for record in records.values()] == [(), (), (), ()]
    ids = [record.facts.uuid for record in records.values()]
    assert len(set(ids)) == 4 and all(len(one) == 32 for one in ids)
    assert {record.facts.machine.hostname for record in records.values()} == {"workstation"}
    assert [records[n].facts.workload.name for n in (1, 2)] == ["mlp-regression", "lstm-series"]
    assert [records[n].facts.workload.batch for n in (1, 2)] == [256, 32]
    assert records[1].facts.status == "finished" and records[4].facts.status == "running"


def test_settings_become_todays(records: dict[int, RunRecord]) -> None:
    race, training = records[1].facts.settings, records[3].facts.settings
    assert isinstance(race, RaceSettings) and race.budget_s == 15 and race.memory_kept
    assert race.deployments == 1, "it was called life_rounds"
    assert isinstance(training, TrainingSettings)
    assert (training.epochs, training.seeds) == (2, 2)


def test_steps_and_ranks_are_what_that_version_printed(records: dict[int, RunRecord]) -> None:
    done = assemble(records[1])
    assert isinstance(done, Comparison)
    for cell in done.cells:
        step, rank = RACE[cell.dialect]
        assert cell.metrics["step_s"].value == pytest.approx(step, rel=2e-3)
        assert cell.rank == rank
    series = {cell.dialect: cell for cell in assemble(records[2]).cells if cell.ok}
    for dialect, (value, low, high) in SERIES.items():
        step = series[dialect].metrics["step_s"]
        assert (step.value, step.low, step.high) == pytest.approx((value, low, high), rel=3e-3)


def test_second_processes_become_controls(records: dict[int, RunRecord]) -> None:
    dialects = {cell.dialect for cell in records[1].cells}
    assert dialects == {"mlx/eager", "mlx/compile", "pytorch/eager"}
    roles = {(trial.dialect, trial.role) for trial in records[1].trials}
    assert ("pytorch/eager", "aa-control") in roles
    assert ("pytorch/eager", "allocator-control") in roles
    done = assemble(records[1])
    assert isinstance(done, Comparison) and done.control and done.allocator_effect
    assert done.control.ratio.value == pytest.approx(1.01, abs=5e-3)
    assert done.allocator_effect[1].value == pytest.approx(0.993, abs=5e-4)


def test_proofs_keep_their_levels_and_diagnosis(records: dict[int, RunRecord]) -> None:
    cells = {cell.dialect: cell for cell in assemble(records[2]).cells}
    unequal = cells["keras2/mxnet-rolled"]
    assert unequal.status == "unequal" and unequal.proof
    assert (unequal.proof.diagnosis, unequal.proof.first_layer) == ("weights-unused", "lstm1")
    assert unequal.proof.levels["forward"].passed is False
    good = cells["mlx/eager"].proof
    assert good and good.ok and set(good.levels) >= {"shape", "forward", "step", "trace"}


def test_a_training_keeps_its_epochs(records: dict[int, RunRecord]) -> None:
    done = assemble(records[3])
    assert isinstance(done, Training)
    (one,) = done.trained
    assert len(one.curve) == 2 and len(one.finals) == 2
    assert min(one.finals) == pytest.approx(0.07732, rel=1e-3)


def test_what_the_killed_race_had_measured_is_there(records: dict[int, RunRecord]) -> None:
    assert len(records[4].trials) == 5, "three more were under way"
    cells = {cell.dialect: cell for cell in assemble(records[4]).cells}
    assert cells["pytorch/eager"].metrics["step_s"].value == pytest.approx(3.19e-3, rel=1e-2)


def test_migrating_twice_gives_the_same_ids(tmp_path: Path) -> None:
    found = []
    for folder in ("a", "b"):
        with Ledger(unpack(tmp_path / folder)) as ledger:
            found.append([uuid for _, uuid, _ in reading.numbers(ledger)])
    assert found[0] == found[1]


def test_a_migrated_ledger_is_of_this_version(tmp_path: Path) -> None:
    path = unpack(tmp_path)
    Ledger(path).close()
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


def test_a_newer_format_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    path = unpack(tmp_path)
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    before = path.read_bytes()
    with pytest.raises(StoneError, match="newer tensorstone"):
        Ledger(path)
    assert path.read_bytes() == before
