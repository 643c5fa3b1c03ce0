"""Controls: who has one, what is started for it, and what it shows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from racing import QUICK, Make, alone, subject

from tensorstone.analysis.controls import aa_control, allocator_effect
from tensorstone.analysis.scores import Scores
from tensorstone.race.controls import contestant, controls
from tensorstone.race.plan import Contestant
from tensorstone.race.process_run import Assignment
from tensorstone.results.codec import Damaged, checked, plain
from tensorstone.results.trial import Block, Racer, Role, Trial, TrialSpec
from tensorstone.runtime.gauges import allocator
from tensorstone.runtime.invocation import Invocation

HERE = Path("here")
KEPT = {"A": "b", "MALLOC_ARENA_MAX": "1"}
AA, SYSTEM = Racer("one", "aa-control"), Racer("one", "allocator-control")


def one(env: dict[str, str], allocator: str = "default") -> Contestant:
    invocation = Invocation(HERE, env, (), 1, HERE)
    return Contestant("one", subject(allocator=allocator), HERE, HERE, [], invocation, HERE, HERE)


PLAIN = one({"A": "b"})
ONE = replace(one(KEPT, "kept"), system_allocator=PLAIN)


def test_an_aa_control_is_the_same_in_all_but_its_role() -> None:
    control = contestant(AA, {"one": ONE})
    assert control.racer == AA and control.dialect == "one"
    assert replace(control, role="contestant") == ONE


def test_an_allocator_control_differs_in_its_memory_alone() -> None:
    control = contestant(SYSTEM, {"one": ONE})
    assert control.racer == SYSTEM
    assert control.invocation.env == {"A": "b"} and control.program == ONE.program
    assert control.subject.conditions.allocator == "default", "proven so too"
    assert ONE.subject.conditions.allocator == "kept"
    assert set(KEPT) - {"A"} <= set(allocator.NAMES)


def test_there_is_an_allocator_control_only_where_memory_is_kept() -> None:
    assert controls(PLAIN) == [AA]
    assert controls(ONE) == [AA, SYSTEM]


def test_a_name_that_looks_like_a_controls_is_a_contestants() -> None:
    """Who is a control is said by the role and by nothing else."""
    names = ("one", "one (again)", "one (allocator)", "one aa-control", "aa-control")
    others = {name: replace(PLAIN, dialect=name) for name in names}
    for name in names:
        assert contestant(Racer(name), others).racer == Racer(name)
    step_s = dict(zip(names, (1.0, 2.0, 3.0, 4.0, 5.0), strict=True))
    scores = Scores(t for name in names for t in ran(name, step_s[name]))
    assert scores.names == sorted(names)
    assert aa_control(scores) is None and allocator_effect(scores) is None
    assert scores.ratios("one (again)", "one") == pytest.approx(dict.fromkeys(range(4), 2.0))


def ran(name: str, step_s: float, role: Role = "contestant") -> list[Trial]:
    blocks = (Block(1, step_s, step_s, 0, 0, 0, 0),)
    return [Trial(name, round, 0, role=role, blocks=blocks) for round in range(4)]


def test_what_keeping_memory_did() -> None:
    race = [
        *ran("one", 1.0),
        *ran("one", 1.0, "aa-control"),
        *ran("one", 1.4, "allocator-control"),
        *ran("b", 2.0),
    ]
    found = allocator_effect(Scores(race))
    assert found is not None and found[0] == "one"
    assert found[1].value == pytest.approx(1.4) and found[1].n == 4
    assert allocator_effect(Scores(race[:8])) is None
    control = aa_control(Scores(race))
    assert control is not None and control.ratio.value == 1.0


def test_a_role_is_one_of_three_and_part_of_what_a_trial_is_known_by() -> None:
    specs = [TrialSpec("one", role, 1) for role in get_args(Role)]
    assert len(set(specs)) == 3
    for spec in specs:
        assert Trial.begun(spec).spec == spec == checked(TrialSpec, plain(spec))
    with pytest.raises(Damaged, match="role"):
        checked(TrialSpec, {**plain(specs[0]), "role": "again"})


def test_what_a_process_run_starts_is_of_the_contestants_role(make: Make) -> None:
    for role in get_args(Role):
        trial = alone(replace(make("steady"), role=role), Assignment(3, 0, 60.0, group=2), QUICK)
        assert trial.outcome.ok
        assert trial.spec == TrialSpec("steady", role, 3, 2, 0)
