"""From a run's record to what is shown of it: pure, and quick however much was measured."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

import pytest
from made_up import FACTS, RECORD
from msgspec.structs import replace

from tensorstone.analysis import assemble as assembling
from tensorstone.analysis.assemble import assemble
from tensorstone.analysis.scores import Scores
from tensorstone.ledger import Ledger, Recorder, reading
from tensorstone.results import codec
from tensorstone.results.comparison import Comparison
from tensorstone.results.events import RaceProgress
from tensorstone.results.outcome import OK, Outcome
from tensorstone.results.program import Program
from tensorstone.results.proof import Error, Level, Proof
from tensorstone.results.run import RunRecord
from tensorstone.results.trial import Block, Deployment, Feeding, Racer, Trial, TrialSpec

LEVEL = Level(1e-8, 1e-6, True, "outputs", arrays={"outputs": Error(1e-8, 1e-6)})


def blocks(rng: random.Random, step_s: float, turns: int) -> tuple[Block, ...]:
    walls = (10 * step_s * rng.lognormvariate(0, 0.02) for _ in range(turns))
    return tuple(
        Block(10, wall, wall, 1, 0, 2, 3, wall / 4, None, 0.5, 0.01, rng.random() < 0.01)
        for wall in walls
    )


def record(names: list[str], rounds: int, turns: int, worst: Outcome = OK) -> RunRecord:
    """A race in which each is slower than the one before it. `worst` is how the last
    one's last trial ended."""
    rng = random.Random(1)
    racers = [
        *map(Racer, names),
        Racer(names[0], "aa-control"),
        Racer(names[0], "allocator-control"),
    ]
    trials = []
    for round in range(1, rounds + 1):
        for place, racer in enumerate(racers):
            step_s = 0.01 * (1 + 0.1 * names.index(racer.dialect))
            bad = worst if (racer, round) == (Racer(names[-1]), rounds) else OK
            trials.append(
                replace(
                    Trial.begun(TrialSpec(*racer, round, 0, place)),
                    outcome=bad,
                    version="1",
                    cold_import_s=rng.uniform(0.9, 1.1) + 3 / (1 + names.index(racer.dialect)),
                    cold_build_s=rng.uniform(0.1, 0.2),
                    cold_first_step_s=rng.uniform(0.1, 0.2),
                    warmup_steps=9,
                    warmup_s=0.3,
                    blocks=blocks(rng, step_s, turns),
                    peak_rss_bytes=2**20 + place,
                    background_load=0.1,
                    wall_s=2.0,
                    notes=("a note",),
                    feeding=Feeding("", 8, (0.1, 0.2), 8, (0.01,)),
                    deployment=Deployment(
                        OK, (0.1,), 0.01, 100, 0.02, 0.03, (0.001, 0.002), 1e-9, 1.0
                    ),
                )
            )
    cells = [
        replace(RECORD, dialect=name, proof=Proof(OK, "program", None, {"forward": LEVEL}))
        for name in names
    ]
    program = Program("print()\n", "program", "w", names[0], lines=1, complexity=1)
    return RunRecord(FACTS, tuple(cells), tuple(trials), {"program": program})


RECORDS = {
    "good": record(["a/a", "b/b", "c/c"], 5, 12),
    "one crashed": record(["a/a", "b/b", "c/c"], 5, 12, Outcome("crashed", "SIGSEGV", "last")),
    "alone": record(["a/a"], 4, 6),
    "cut short": record(["a/a", "b/b"], 1, 2),
    "nothing ran": replace(record(["a/a", "b/b"], 1, 2), trials=()),
}


def test_a_race_becomes_a_comparison() -> None:
    found = assemble(RECORDS["good"])
    assert isinstance(found, Comparison)
    assert [cell.rank for cell in found.cells] == [1, 2, 3] and found.rounds == 5
    assert found.control is not None and found.control.dialect == "a/a"
    assert found.allocator_effect is not None and found.allocator_effect[0] == "a/a"
    assert [(pair.faster, pair.slower) for pair in found.pairs] == [
        ("a/a", "b/b"),
        ("a/a", "c/c"),
        ("b/b", "c/c"),
    ]
    assert found.totals.keys() == found.steps.keys() == {"a/a", "b/b", "c/c"}
    assert found.cells[0].metrics["code_lines"].kind == "exact"
    assert found.cells[0].metrics["peak_rss_bytes"].kind == "range"
    assert found.cells[0].metrics["step_s"].kind == "interval"


def test_one_bad_trial_costs_nobody_else() -> None:
    found = assemble(RECORDS["one crashed"])
    assert [(cell.status, cell.rank) for cell in found.cells] == [
        ("ok", 1),
        ("ok", 2),
        ("crashed", None),
    ]
    good = assemble(RECORDS["good"])
    for name in ("step_s", "cold_import_s", "load_s"):
        assert found.cells[1].metrics[name] == good.cells[1].metrics[name]


@pytest.mark.parametrize("name", RECORDS)
def test_the_same_record_gives_the_same_comparison(name: str) -> None:
    made = RECORDS[name]
    before = codec.to_bytes(made)
    assert assemble(made) == assemble(made)
    assert codec.to_bytes(made) == before, "a record is not changed by being assembled"


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_that_went_through_the_codec_gives_the_same_comparison(name: str) -> None:
    made, wanted = RECORDS[name], assemble(RECORDS[name])
    assert assemble(codec.from_bytes(RunRecord, codec.to_bytes(made))) == wanted
    assert assemble(codec.from_json(RunRecord, codec.to_json(made))) == wanted
    assert codec.from_bytes(Comparison, codec.to_bytes(wanted)) == wanted


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_that_went_through_the_ledger_gives_the_same_comparison(
    name: str, tmp_path: Path
) -> None:
    made = RECORDS[name]
    kept = through_the_ledger(made, tmp_path / "ledger.sqlite")
    assert kept.damaged == () and kept.trials == made.trials
    assert assemble(replace(kept, facts=made.facts)) == assemble(made)


def through_the_ledger(made: RunRecord, path: Path) -> RunRecord:
    """Told to a recorder as the engine tells it, and read again."""
    with Ledger(path) as ledger:
        run = ledger.begin(replace(made.facts, uuid="1" * 32), "")
        for program in made.programs.values():
            ledger.keep_program(program)
        cells = {c.dialect: ledger.open_cell(run, "lenet", c) for c in made.cells}
        recorder = Recorder(ledger, cells)
        for trial in made.trials:
            recorder.trial_started(Trial.begun(trial.spec))
            for index, block in enumerate(trial.blocks):
                recorder.block(replace(trial, blocks=trial.blocks[: index + 1]), index, block)
            recorder.trial_ended(trial, RaceProgress(0, 0.0, 0.0))
        ledger.finish(run)
        return reading.record(ledger, run)


class Counted(Scores):
    """Knows how often scores were made of trials."""

    made: list[int]

    def __init__(self, trials: Iterable[Trial]) -> None:
        given = list(trials)
        if given:
            self.made.append(len(given))
        super().__init__(given)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many trials went into scores, each time they were made of some."""
    monkeypatch.setattr(Counted, "made", [], raising=False)
    monkeypatch.setattr(assembling, "Scores", Counted)
    return Counted.made


def test_scores_are_computed_once(made: list[int]) -> None:
    found = assemble(RECORDS["good"])
    assert made == [len(RECORDS["good"].trials)]
    assert isinstance(found, Comparison) and found.control and found.overtakings and found.pairs


def test_scores_of_many_are_computed_once_and_so_is_each_process(
    made: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twenty dialects with ten thousand blocks each: the work grows with what was measured, and not
    with how often it is looked at."""
    from tensorstone.analysis import steady_state

    names = [f"{letter}/{letter}" for letter in "abcdefghijklmnopqrst"]
    many = record(names, rounds=100, turns=100)
    cut: list[int] = []
    segments = steady_state.segments

    def counted(logs):  # type: ignore[no-untyped-def]
        cut.append(len(logs))
        return segments(logs)

    monkeypatch.setattr(steady_state, "segments", counted)
    found = assemble(many)
    assert isinstance(found, Comparison) and len(found.pairs) == 190
    assert made == [len(many.trials)]
    # Once for each process; and for those that were warming up, once more for what came after.
    assert len(many.trials) <= len(cut) < 1.2 * len(many.trials)
