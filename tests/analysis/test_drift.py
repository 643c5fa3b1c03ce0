"""What contestants do over time, from processes that are only values."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from tensorstone.analysis.drift import drifts
from tensorstone.analysis.scores import Scores, warm
from tensorstone.analysis.summary import metrics
from tensorstone.results.trial import Block, Trial

TURNS = 40


def process(round: int, shape: Callable[[int], float], name: str = "a") -> Trial:
    rng = random.Random(f"{name}/{round}")
    steps = [shape(turn) * rng.uniform(0.99, 1.01) for turn in range(TURNS)]
    blocks = tuple(Block(10, 10 * step, 1.0, 0, 0, 0, 0) for step in steps)
    return Trial(name, round, 0, blocks=blocks, warmup_steps=5, warmup_s=1.0)


def processes(shape: Callable[[int], float], count: int = 5) -> list[Trial]:
    return [process(round, shape) for round in range(count)]


def level(turn: int) -> float:
    return 1.0


def cold(turn: int) -> float:
    return 2.0 if turn < 8 else 1.0


def tired(turn: int) -> float:
    return 1.0 if turn < 20 else 1.3


def collected(turn: int) -> float:
    return 1.5 if turn % 5 == 4 else 1.0


def test_a_steady_contestant_does_not_drift() -> None:
    assert drifts(processes(level)) == []


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        (tired, "slowed down while it ran, in 5 of 5 processes"),
        (collected, "one block in about 5 was slower, in 5 of 5 processes"),
        (lambda turn: 1.01**turn, "its step time changed by +1"),
    ],
)
def test_what_most_processes_did_is_said(shape: Callable[[int], float], said: str) -> None:
    assert any(text.startswith(said) for text in drifts(processes(shape)))


def test_what_happened_to_one_process_is_not_said() -> None:
    assert drifts([*processes(level, 4), process(5, tired)]) == []


def test_turns_before_a_process_was_warm_are_its_warm_up() -> None:
    trials = processes(cold)
    assert [warm(tuple(block.step_s for block in trial.blocks)) for trial in trials] == [8] * 5
    found = metrics(trials, batch=1)
    assert found["warmup_steps"].value == 5 + 8 * 10
    assert found["warmup_s"].value == pytest.approx(1.0 + 8 * 20.0, rel=0.01)


def test_they_do_not_count_in_a_ratio() -> None:
    rounds = range(3)
    race = Scores(
        [process(r, shape, name) for name, shape in (("a", cold), ("b", level)) for r in rounds]
    )
    assert race.ratios("a", "b") == pytest.approx(dict.fromkeys(rounds, 1.0), rel=0.01)
    assert all(len(turns) == TURNS - 8 for turns in race.turns("a", "b").values())
