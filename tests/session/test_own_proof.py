"""Nothing is raced but a program with its own proof, made under the conditions of its race."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from msgspec.structs import replace as changed

from tensorstone.dialects import emit
from tensorstone.ledger import Ledger, reading
from tensorstone.models.workload import Workload
from tensorstone.results.comparison import Comparison
from tensorstone.results.conditions import Conditions
from tensorstone.results.outcome import OK, Outcome
from tensorstone.results.program import Program
from tensorstone.results.proof import Proof
from tensorstone.results.subject import Subject, Unproven
from tensorstone.session import comparing
from tensorstone.session.asking import dialects, prove_request, train_request
from tensorstone.session.entries import enter
from tensorstone.session.prove import prove
from tensorstone.session.proving import Proven, Proving, prove_all
from tensorstone.session.training import train
from tensorstone.session.watch import SilentProofs, Unwatched
from tensorstone.support.errors import StoneError

Compare = Callable[..., list[Comparison]]
PROGRAM = Program("text", "sha", "workload", "linear/dot")
HERE = Conditions("environment", threads=1)
PROOF = Proof(OK, "sha", HERE)


def faster(workload: Workload) -> Workload:
    """Another workload of the same name."""
    optimiser = replace(workload.recipe.optimiser, rate=0.02)
    return replace(workload, recipe=replace(workload.recipe, optimiser=optimiser))


def test_a_subject_is_made_with_its_own_proof_alone() -> None:
    assert Subject(PROGRAM, PROOF, HERE).program is PROGRAM
    with pytest.raises(Unproven, match="of another program"):
        Subject(changed(PROGRAM, sha="another"), PROOF, HERE)
    with pytest.raises(Unproven, match="under other conditions"):
        Subject(PROGRAM, PROOF, changed(HERE, threads=2))
    with pytest.raises(Unproven, match="unequal"):
        Subject(PROGRAM, changed(PROOF, outcome=Outcome("unequal")), HERE)


def test_two_workloads_of_one_name_are_refused_before_any_work(
    compared: Compare, ledger: Ledger, line: Workload
) -> None:
    both = [line, faster(line)]
    with pytest.raises(StoneError, match="two different workloads are called 'small-line'"):
        compared(both, "linear/dot")
    with pytest.raises(StoneError, match="two different workloads"):
        prove(prove_request(both, dialects(["linear/dot"])), ledger, Unwatched())
    with pytest.raises(StoneError, match="two different workloads"):
        request = train_request(both, dialects(["linear/dot"]), data="synthetic")
        train(request, ledger, Unwatched())
    assert reading.numbers(ledger) == []


def test_the_same_workload_twice_is_one(compared: Compare, line: Workload) -> None:
    assert len(compared([line, replace(line)], "linear/dot")) == 1


def test_proofs_of_one_name_stay_with_their_own_programs(line: Workload) -> None:
    """Handed on by entry: nothing is ever looked up by name."""
    entries = enter([line, faster(line)], dialects(["linear/dot", "linear/half"]))
    proven = prove_all([Proving(entry, 1) for entry in entries], SilentProofs())
    assert [one.entry for one in proven] == entries
    assert len({one.entry.program.sha for one in proven if one.entry.program}) == 4
    for one in proven:
        assert one.entry.program and one.proof
        assert one.proof.program_sha == one.entry.program.sha
    assert [one.ok for one in proven] == [True, False, True, False]


def test_a_program_is_written_once_and_the_same_text_is_proven_and_raced(
    compared: Compare, ledger: Ledger, line: Workload, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    emitted = emit._emit

    def counted(workload: Workload, dialect: emit.Dialect, *rest: object) -> str:
        written.append(dialect.name)
        return f"{emitted(workload, dialect, *rest)}# number {len(written)}\n"  # type: ignore[arg-type]

    monkeypatch.setattr(emit, "_emit", counted)
    raced: list[str] = []
    race = comparing.race

    def watched(plan: comparing.Plan, *rest: object) -> object:
        raced.extend(one.program.read_text(encoding="utf-8") for one in plan.contestants)
        return race(plan, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(comparing, "race", watched)
    (done,) = compared(line, "linear/dot", "linear/sum")
    assert written == ["linear/dot", "linear/sum"]
    record = reading.record(ledger, done.facts.number)
    for cell, text in zip(record.cells, raced, strict=True):
        assert cell.proof and cell.proof.program_sha == cell.program_sha
        assert record.programs[cell.program_sha].text == text


def proven_under(done: Comparison) -> set[tuple[int, str]]:
    found = [cell.proof.conditions for cell in done.cells if cell.proof]
    return {(one.threads, one.allocator) for one in found if one}


def test_every_race_is_proven_under_its_own_threads(compared: Compare, line: Workload) -> None:
    one, two = compared(line, "linear/dot", "linear/sum", threads=[1, 2], allocator="default")
    assert (proven_under(one), proven_under(two)) == ({(1, "default")}, {(2, "default")})


def test_a_race_that_keeps_memory_is_proven_so_and_its_control_without(
    compared: Compare, line: Workload, monkeypatch: pytest.MonkeyPatch
) -> None:
    controls: list[Proven] = []
    made = comparing.contestants

    def watched(*words: object) -> object:
        controls.extend(words[-1])  # type: ignore[arg-type]
        return made(*words)  # type: ignore[arg-type]

    monkeypatch.setattr(comparing, "contestants", watched)
    (done,) = compared(line, "linear/dot", "linear/sum", threads=[1], allocator="kept")
    assert proven_under(done) == {(1, "kept")}
    assert [one.conditions and one.conditions.allocator for one in controls] == ["default"] * 2
    assert all(one.ok for one in controls)
