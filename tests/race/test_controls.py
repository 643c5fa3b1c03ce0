"""Second seats: who sits there, and what they show."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from tensorstone.analysis.bootstrap import Estimate
from tensorstone.analysis.ranking import Itself, against_itself, unkept
from tensorstone.race.controls import AGAIN, UNKEPT, names, original, seated
from tensorstone.race.plan import Contestant
from tensorstone.report.footnotes import itself_said
from tensorstone.results.trial import Block, Trial
from tensorstone.runtime.gauges import allocator
from tensorstone.runtime.invocation import Invocation

HERE = Path("here")
KEPT = {"A": "b", "MALLOC_ARENA_MAX": "1"}
ONE = Contestant("one", HERE, HERE, [], Invocation(HERE, KEPT, (), 1, HERE), HERE, HERE, 1)


def test_the_twin_is_the_same_in_all_but_name() -> None:
    twin = seated("one" + AGAIN, {"one": ONE})
    assert twin.dialect == "one (again)"
    assert replace(twin, dialect="one") == ONE


def test_the_other_differs_in_its_memory_alone() -> None:
    other = seated("one" + UNKEPT, {"one": ONE})
    assert other.invocation.env == {"A": "b"} and other.program == ONE.program
    assert set(KEPT) - {"A"} <= set(allocator.NAMES)


def test_there_is_another_only_where_memory_is_kept() -> None:
    assert names("one", memory_kept=False) == ["one" + AGAIN]
    assert names("one", memory_kept=True) == ["one" + AGAIN, "one" + UNKEPT]
    assert {original(name) for name in ("one", *names("one", True))} == {"one"}


def test_what_keeping_memory_did() -> None:
    def sat(name: str, step_s: float) -> list[Trial]:
        blocks = (Block(1, step_s, step_s, 0, 0, 0, 0),)
        return [Trial(name, round, 0, blocks=blocks) for round in range(4)]

    race = [*sat("one", 1.0), *sat("one" + AGAIN, 1.0), *sat("one" + UNKEPT, 1.4), *sat("b", 2.0)]
    found = unkept(race)
    assert found is not None and found[0] == "one"
    assert found[1].value == pytest.approx(1.4) and found[1].samples == 4
    assert unkept(race[:8]) is None
    itself = against_itself(race)
    assert itself is not None and itself.ratio.value == 1.0


@pytest.mark.parametrize(
    ("itself", "said"),
    [
        (
            Itself("a/b", Estimate(1.01, 0.98, 1.04, 7), 0.0),
            "a/b in two seats, for control: ×1.01 0.98–1.04 (n = 7).",
        ),
        (
            Itself("a/b", Estimate(0.373, None, None, 1), -math.log(0.373)),
            "a/b in two seats differed from itself, ×0.373 (n = 1): something here is not even, "
            "and only differences beyond ×2.68 are called so.",
        ),
    ],
)
def test_what_the_control_showed_is_said(itself: Itself, said: str) -> None:
    assert itself_said(itself) == said
