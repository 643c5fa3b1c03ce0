"""What starting costs, and who overtakes whom, from trials that are only values."""

from __future__ import annotations

import math

import pytest

from tensorstone.analysis.break_even import Costs
from tensorstone.analysis.scores import Scores
from tensorstone.analysis.startup import STEPS, costs, overtakings, totals
from tensorstone.report.totals import overtaken
from tensorstone.results.trial import Block, Trial


def trials(name: str, cold_s: float, step_s: float, rounds: int = 4) -> list[Trial]:
    return [
        Trial(
            name,
            round,
            0,
            cold_import_s=0.5 * cold_s,
            cold_build_s=0.2 * cold_s,
            cold_first_step_s=0.3 * cold_s,
            blocks=(Block(1, step_s, step_s, 0, 0, 0, 0),),
        )
        for round in range(rounds)
    ]


def spent(trials: list[Trial], *names: str) -> dict[str, Costs]:
    scores = Scores(trials)
    return {name: costs(trials, scores, name) for name in names}


RACE = [*trials("quick", 1.0, 0.02), *trials("compiled", 11.0, 0.01), *trials("slow", 5.0, 0.1)]


def test_the_one_that_starts_later_and_steps_faster_overtakes() -> None:
    first, second = overtakings(spent(RACE, "quick", "compiled", "slow"))
    assert (first.ahead, first.then) == ("slow", "compiled")
    assert first.after.steps == pytest.approx(6.0 / 0.09)
    assert (second.ahead, second.then) == ("quick", "compiled")
    assert second.after.steps == pytest.approx(1000)
    assert second.after.low == pytest.approx(1000) and not second.never


def test_below_a_table_only_those_are_named_who_are_surely_slower() -> None:
    found = overtakings(spent(RACE, "quick", "compiled", "slow"))
    said = overtaken(found, "compiled", {"quick", "slow"})
    assert said[0].startswith("Break-even: compiled overtakes quick after 1.00k steps")
    assert overtaken(found, "compiled", {"quick"}) == said[:1]
    assert overtaken(found, "compiled", ()) == []


def test_who_may_never_be_overtaken_is_known() -> None:
    shaky = [t for r in range(5) for t in trials("a", 9.0, (1.0, 1.3)[r % 2], 1 + r)[-1:]]
    (found,) = overtakings(spent([*shaky, *trials("b", 1.0, 1.2, 5)], "a", "b"))
    assert found.never and found.after.high == math.inf


def test_totals_are_cold_and_steps() -> None:
    found = totals(spent(RACE, "quick", "compiled"))
    assert [e.value for e in found["quick"]] == pytest.approx([1.0 + 0.02 * n for n in STEPS])
    assert [e.n for e in found["compiled"]] == [4] * len(STEPS)
