"""The scheduler with a clock and trials made of paper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from tensorstone.bench import stop
from tensorstone.bench.invocation import Invocation
from tensorstone.bench.observer import Observer, Progress, Silent
from tensorstone.bench.outcome import OK, Outcome
from tensorstone.bench.plan import Contestant, Plan, Settings, order
from tensorstone.bench.results import Block, Trial
from tensorstone.bench.rounds import race
from tensorstone.bench.trial import Slot
from tensorstone.bench.warmup import Warm, warm_up

NOWHERE = Path("nowhere")
CRASH = Outcome("crashed", "SIGSEGV during block")


def contestant(name: str) -> Contestant:
    invocation = Invocation(NOWHERE, {}, (), 1, NOWHERE)
    return Contestant(name, NOWHERE, NOWHERE, [], invocation, NOWHERE, NOWHERE, 1)


def block(step_s: float, steps: int = 10) -> Block:
    return Block(steps, step_s * steps, step_s * steps, 0, 0, 0, 0)


class Paper:
    """Every trial takes `trial_s`; a step takes what `step` says, or ends as `ends` says."""

    def __init__(
        self,
        step: Callable[[str, int], float] = lambda name, round: 1.0,
        ends: Callable[[str, int], Outcome] = lambda name, round: OK,
        trial_s: float = 10.0,
    ) -> None:
        self.now = 1000.0
        self.slots: list[tuple[str, Slot]] = []
        self._step, self._ends, self._trial_s = step, ends, trial_s

    def run(self, who: Contestant, slot: Slot, settings: Settings, observer: Observer) -> Trial:
        self.now += self._trial_s
        self.slots.append((who.dialect, slot))
        outcome = self._ends(who.dialect, slot.round)
        steps = slot.steps or 7 + len(who.dialect)
        blocks = (block(self._step(who.dialect, slot.round), steps),) if outcome.ok else ()
        return Trial(
            who.dialect, slot.round, slot.order, outcome, blocks=blocks, wall_s=self._trial_s
        )

    def race(self, names: str, settings: Settings, earlier: tuple[Trial, ...] = ()):
        plan = Plan("paper", tuple(contestant(name) for name in names.split()), settings)
        return race(plan, Silent(), earlier, self.run, lambda: self.now)


def noisy(name: str, round: int) -> float:
    return 1.0 + 0.5 * (hash((len(name), round)) % 7) / 7 + (name == "b") * 0.01 * round


def test_it_stops_when_precise_enough() -> None:
    finished = Paper(lambda name, round: len(name)).race("a bb", Settings(budget_s=1e6))
    assert finished.rounds == 3
    assert finished.why == "±0.0% reached after 3 rounds"


def test_it_stops_when_the_budget_is_spent_and_says_so() -> None:
    paper = Paper(noisy)
    finished = paper.race("a bb", Settings(budget_s=110, precision=1e-6))
    assert finished.rounds == 5  # 20 s each; a sixth would end at 120 s
    assert "the budget of 1 min 50 s is spent after 5 rounds" in finished.why
    assert paper.now - 1000.0 <= 110


def test_a_small_budget_gives_two_rounds_and_says_so() -> None:
    finished = Paper().race("a b c", Settings(budget_s=1))
    assert finished.rounds == 2
    assert "allows 2 rounds only" in finished.why


def test_every_round_has_everyone_once_in_an_order_of_its_own() -> None:
    paper = Paper(noisy)
    paper.race("a b c d", Settings(budget_s=400, precision=1e-6))
    rounds: dict[int, list[str]] = {}
    for name, slot in paper.slots:
        assert slot.order == len(rounds.setdefault(slot.round, []))
        rounds[slot.round].append(name)
    assert len(rounds) == 10
    assert all(sorted(names) == list("abcd") for names in rounds.values())
    assert len({tuple(names) for names in rounds.values()}) > 3
    assert order(list("dcba"), 1, seed=0) == rounds[1]
    assert any(order(list("abcd"), r, 1) != order(list("abcd"), r, 0) for r in range(1, 9))


def test_steps_a_block_are_chosen_once() -> None:
    paper = Paper()
    paper.race("a bb", Settings(budget_s=1e6))
    for name, slot in paper.slots:
        assert slot.steps == (None if slot.round == 1 else 7 + len(name))


def test_two_failures_end_a_contestant_and_nobody_else() -> None:
    paper = Paper(ends=lambda name, round: CRASH if name == "bad" else OK)
    finished = paper.race("bad a b", Settings(budget_s=1e6))
    assert [t.round for t in finished.trials if t.dialect == "bad"] == [1, 2]
    assert [t.round for t in finished.trials if t.dialect == "a"] == [1, 2, 3]


def test_nobody_waits_for_who_is_out() -> None:
    """One good trial, then two crashes: no interval, and the others' precision decides."""
    paper = Paper(ends=lambda name, round: CRASH if name == "bad" and round > 1 else OK)
    finished = paper.race("bad a b", Settings(budget_s=1e6))
    assert finished.rounds == 3 and "reached" in finished.why


def test_one_failure_is_forgiven() -> None:
    paper = Paper(ends=lambda name, round: CRASH if (name, round) == ("a", 2) else OK)
    finished = paper.race("a b", Settings(budget_s=1e6))
    # Three shared rounds are needed for an interval, so a fourth is run.
    assert [t.outcome.ok for t in finished.trials if t.dialect == "a"] == [True, False, True, True]


def test_a_race_nobody_survives_ends() -> None:
    finished = Paper(ends=lambda name, round: CRASH).race("a b", Settings(budget_s=1e6))
    assert (finished.rounds, len(finished.trials)) == (2, 4)
    assert finished.why == "no contestant is left"


@pytest.mark.parametrize("status", ["not-installed", "timed-out"])
def test_the_hopeless_are_tried_once(status: str) -> None:
    ends = lambda name, round: Outcome(status) if name == "bad" else OK  # noqa: E731
    finished = Paper(ends=ends).race("bad a b", Settings(budget_s=1e6))
    assert len([t for t in finished.trials if t.dialect == "bad"]) == 1


@pytest.mark.parametrize("kept", range(1, 12))
def test_a_resumed_race_is_the_race(kept: int) -> None:
    """Killed after any trial and resumed, the same trials are made, each once."""
    settings = Settings(budget_s=120, precision=1e-6)
    whole = Paper(noisy).race("a b c", settings)
    assert len(whole.trials) == 12
    resumed = Paper(noisy).race("a b c", settings, earlier=whole.trials[:kept])
    assert resumed == whole


def test_timeouts_come_from_the_budget_then_from_what_was_seen() -> None:
    assert stop.trial_timeout(Settings(budget_s=300), []) == 150
    assert stop.trial_timeout(Settings(budget_s=10), []) == 120
    assert stop.trial_timeout(Settings(budget_s=1e6), []) == 600
    assert stop.trial_timeout(Settings(budget_s=300), [2.0, 3.0]) == 240
    assert stop.trial_timeout(Settings(budget_s=300), [20.0, 30.0]) == 300
    assert stop.trial_timeout(Settings(trial_timeout_s=5), [20.0]) == 5


def test_progress_counts_down() -> None:
    class Watch(Silent):
        def __init__(self) -> None:
            self.seen: list[Progress] = []

        def trial_ended(self, trial: Trial, progress: Progress) -> None:
            self.seen.append(progress)

    paper, watch = Paper(noisy), Watch()
    plan = Plan("paper", (contestant("a"), contestant("b")), Settings(budget_s=100, precision=1e-9))
    race(plan, watch, (), paper.run, lambda: paper.now)
    lefts = [progress.left_s for progress in watch.seen]
    assert lefts == sorted(lefts, reverse=True)
    assert lefts[0] == 90 and lefts[-1] == 0


def warm(step_s: Callable[[int], float], settings: Settings) -> tuple[Warm, list[int]]:
    ran: list[int] = []

    def timed(steps: int, expected_s: float) -> Block:
        wall = sum(step_s(sum(ran) + i) for i in range(steps))
        ran.append(steps)
        return replace(block(1.0, steps), wall_s=wall)

    return warm_up(timed, settings, 1.0), ran


def test_warm_up_goes_on_until_a_block_is_long_enough() -> None:
    found, ran = warm(lambda i: 0.001, Settings(block_s=1.0))
    assert (found.steps, found.cut) == (sum(ran), False)
    assert found.step_s == pytest.approx(0.001)
    assert ran[-1] * 0.001 >= 0.5
    assert all(b <= 10 * a for a, b in pairwise(ran))


def test_warm_up_of_slow_steps_is_cut_and_said() -> None:
    assert warm(lambda i: 6.0, Settings(warmup_s=10.0)) == (Warm(2, 6.0, cut=True), [1, 1])


def test_slow_first_steps_do_not_mislead() -> None:
    found, _ = warm(lambda i: 0.4 if i < 3 else 0.01, Settings(block_s=1.0))
    assert found.step_s < 0.02 and found.steps > 20


def test_the_same_plan_elsewhere_has_the_same_hash(tmp_path: Path) -> None:
    digests = []
    for folder in ("one", "two"):
        here = tmp_path / folder
        here.mkdir()
        for name in ("program", "bridge", "weights", "data"):
            (here / name).write_text(name, encoding="utf-8")
        invocation = Invocation(NOWHERE, {}, (0,), 1, here)
        paths = {name: here / name for name in ("program", "bridge", "weights", "data")}
        made = Contestant("a", layers=[], invocation=invocation, batch=1, **paths)
        digests.append(Plan("w", (made,)).digest())
        (here / "program").write_text("changed", encoding="utf-8")
        digests.append(Plan("w", (made,)).digest())
    assert digests[0] == digests[2] != digests[1] == digests[3]
