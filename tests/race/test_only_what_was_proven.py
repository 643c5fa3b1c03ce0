"""What may be raced: a program with its own proof, run as it was proven, and nothing else."""

from __future__ import annotations

from dataclasses import replace as replaced
from pathlib import Path

import pytest
from msgspec.structs import replace
from racing import QUICK, Make, alone, subject

from tensorstone.race.group_run import Group, run_group
from tensorstone.race.plan import Contestant
from tensorstone.race.process_run import Assignment
from tensorstone.race.training import TrainingSpec, run
from tensorstone.results.conditions import Conditions
from tensorstone.results.events import SilentObserver
from tensorstone.results.outcome import OK, STATUSES, Outcome
from tensorstone.results.program import Program, sha
from tensorstone.results.proof import Proof
from tensorstone.results.subject import Subject, Unproven
from tensorstone.runtime.invocation import Invocation

HERE = Path("here")
ONE = Program("print(1)\n", sha("print(1)\n"), "w", "a/one")
TWO = replace(ONE, text="print(2)\n", sha=sha("print(2)\n"))
CONDITIONS = Conditions("env", (("A", "b"),), threads=2, processor="cpu")
PROOF = Proof(OK, ONE.sha, CONDITIONS)


def contestant(made: Subject, env: dict[str, str], threads: int) -> Contestant:
    invocation = Invocation(HERE, env, (), threads, HERE)
    return Contestant("a/one", made, HERE, HERE, [], invocation, HERE, HERE)


def test_a_subject_is_made_of_a_program_and_its_own_proof() -> None:
    assert Subject(ONE, PROOF, CONDITIONS).program is ONE


@pytest.mark.parametrize("status", [status for status in STATUSES if status != "ok"])
def test_what_did_not_pass_is_no_subject(status: str) -> None:
    failed = replace(PROOF, outcome=Outcome(status))  # type: ignore[arg-type]
    with pytest.raises(Unproven, match=f"its proof is {status}"):
        Subject(ONE, failed, CONDITIONS)


def test_the_proof_of_another_text_is_none() -> None:
    with pytest.raises(Unproven, match="of another program"):
        Subject(TWO, PROOF, CONDITIONS)
    with pytest.raises(Unproven, match="of another program"):
        Subject(ONE, Proof(OK), CONDITIONS)


@pytest.mark.parametrize(
    "changed",
    [
        {"environment": "another"},
        {"variables": ()},
        {"threads": 1},
        {"allocator": "kept"},
        {"processor": "another"},
    ],
)
def test_the_proof_under_other_conditions_is_none(changed: dict[str, object]) -> None:
    with pytest.raises(Unproven, match="other conditions"):
        Subject(ONE, PROOF, replace(CONDITIONS, **changed))  # type: ignore[arg-type]
    with pytest.raises(Unproven, match="other conditions"):
        Subject(ONE, replace(PROOF, conditions=None), CONDITIONS)


def test_a_subject_cannot_be_turned_into_an_unproven_one() -> None:
    made = Subject(ONE, PROOF, CONDITIONS)
    with pytest.raises(Unproven):
        replace(made, program=TWO)
    with pytest.raises(AttributeError):
        made.program = TWO  # type: ignore[misc]


@pytest.mark.parametrize("instead", [None, ONE, PROOF])
def test_a_contestant_without_a_subject_is_refused(instead: object) -> None:
    with pytest.raises(Unproven, match="a/one"):
        contestant(instead, {"A": "b"}, 2)  # type: ignore[arg-type]


def test_a_contestant_runs_as_it_was_proven() -> None:
    made = Subject(ONE, PROOF, CONDITIONS)
    assert contestant(made, {"A": "b", "MORE": "c"}, 2).subject is made
    with pytest.raises(Unproven, match="proven with 2 threads"):
        contestant(made, {"A": "b"}, 1)
    for env in ({}, {"A": "c"}):
        with pytest.raises(Unproven, match="variables"):
            contestant(made, env, 2)


def test_a_program_that_is_not_the_one_proven_is_never_run(make: Make) -> None:
    """Whoever changes the file after the proof: the trial says so, and the others go on."""
    changed, tally = make("tally"), make("tally")
    forged = changed.invocation.workdir / "forged.py"
    forged.write_text(changed.subject.program.text + "\n# changed\n", encoding="utf-8")
    forger = replaced(changed, dialect="forger", program=forged)
    steady = make("steady")
    members = tuple((who, Assignment(1, place, 60.0)) for place, who in enumerate((steady, forger)))
    good, bad = run_group(Group(members, 2, QUICK.turns), QUICK, SilentObserver())
    assert good.outcome.ok and len(good.blocks) == QUICK.turns
    assert bad.outcome == Outcome("failed", "forged.py is not the program that was proven")
    assert bad.cold_import_s is None and bad.blocks == ()
    assert not (tally.invocation.workdir / "tally").exists(), "no step was run"


def test_a_program_that_is_gone_is_said(make: Make, tmp_path: Path) -> None:
    gone = replaced(make("steady"), program=tmp_path / "gone.py")
    assert "gone.py" in alone(gone, Assignment(1, 0, 60.0), QUICK).outcome.reason


def test_a_training_refuses_another_program_too(make: Make, tmp_path: Path) -> None:
    other = tmp_path / "other.py"
    other.write_text("print()\n", encoding="utf-8")
    contestant = replaced(make("tells"), program=other)
    spec = TrainingSpec(contestant, 1, 0, 1, contestant.data, lambda _: 0.0, timeout_s=60.0)
    assert run(spec, lambda *_: None).outcome.status == "failed"


def test_another_text_with_its_own_proof_is_another_subject() -> None:
    assert subject("one").program.sha != subject("two").program.sha
