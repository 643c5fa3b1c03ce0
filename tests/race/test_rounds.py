"""The scheduler with a clock and trials made of paper."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from tensorstone.analysis.ranking import ranking
from tensorstone.analysis.scores import Scores
from tensorstone.race import plan as plans
from tensorstone.race import stop
from tensorstone.race.controls import AGAIN
from tensorstone.race.group_run import Sitting
from tensorstone.race.plan import Contestant, Plan, Settings, order
from tensorstone.race.process_run import Slot
from tensorstone.race.rounds import MOST_ALIVE, race
from tensorstone.race.warmup import Warm, warm_up
from tensorstone.results.events import Observer, Progress, Silent
from tensorstone.results.outcome import OK, Outcome
from tensorstone.results.trial import Block, Trial
from tensorstone.runtime.invocation import Invocation
from tensorstone.session.training_plan import Syllabus, Terms

NOWHERE = Path("nowhere")
CRASH = Outcome("crashed", "SIGSEGV during block")


def contestant(name: str) -> Contestant:
    invocation = Invocation(NOWHERE, {}, (), 1, NOWHERE)
    return Contestant(name, NOWHERE, NOWHERE, [], invocation, NOWHERE, NOWHERE, 1)


def block(step_s: float, steps: int = 10) -> Block:
    return Block(steps, step_s * steps, step_s * steps, 0, 0, 0, 0)


class Paper:
    """Every trial takes `trial_s`; a step takes what `step` says, or ends as `ends` says. So many
    sit down at once as `room` says."""

    def __init__(
        self,
        step: Callable[[str, int], float] = lambda name, round: 1.0,
        ends: Callable[[str, int], Outcome] = lambda name, round: OK,
        trial_s: float = 10.0,
        room: int = 100,
        others_busy: float | None = None,
    ) -> None:
        self.now = 1000.0
        self.slots: list[tuple[str, Slot]] = []
        self.sittings: list[Sitting] = []
        self._step, self._ends, self._trial_s, self._room = step, ends, trial_s, room
        self._others_busy = others_busy

    def sit(self, sitting: Sitting, settings: Settings, observer: Observer) -> list[Trial]:
        self.sittings.append(sitting)
        seated = max(self._room, sitting.indispensable + 1)
        return [self._trial(who, slot) for who, slot in sitting.seats[:seated]]

    def _trial(self, who: Contestant, slot: Slot) -> Trial:
        self.now += self._trial_s
        self.slots.append((who.dialect, slot))
        name = who.dialect.removesuffix(AGAIN)
        outcome = self._ends(who.dialect, slot.round)
        steps = slot.steps or 7 + len(name)
        # Of a trial's time blocks are next to nothing.
        step_s = 1e-4 * self._step(name, slot.round)
        blocks = (block(step_s, steps),) if outcome.ok else ()
        return Trial(
            who.dialect,
            slot.round,
            slot.order,
            slot.group,
            outcome,
            blocks=blocks,
            others_busy=self._others_busy,
            wall_s=self._trial_s,
        )

    def race(self, names: str, settings: Settings, earlier: tuple[Trial, ...] = ()):
        plan = Plan("paper", tuple(contestant(name) for name in names.split()), settings)
        return race(plan, Silent(), earlier, self.sit, lambda: self.now)

    def seated(self, round: int) -> list[list[str]]:
        """Who sat together in a round, group by group."""
        groups: dict[int, list[str]] = {}
        for name, slot in self.slots:
            if slot.round == round:
                groups.setdefault(slot.group, []).append(name)
        return list(groups.values())


def noisy(name: str, round: int) -> float:
    return random.Random(f"{name}/{round}").uniform(0.7, 1.3)


def test_it_stops_when_precise_enough() -> None:
    finished = Paper(lambda name, round: len(name)).race("a bb", Settings(budget_s=1e6))
    assert finished.rounds == 4
    assert finished.why == "±0.0% reached after 4 rounds"


def test_it_stops_when_the_budget_is_spent_and_says_so() -> None:
    paper = Paper(noisy)
    finished = paper.race("a bb", Settings(budget_s=150, precision=0.001))
    assert finished.rounds == 5  # 20 s, then 30 s each with the twin; a sixth would end at 170 s
    assert finished.why.startswith("the budget of 2 min 30 s is spent after 5 rounds: ±")
    assert finished.why.endswith(", wanted ±0.1%")
    assert paper.now - 1000.0 <= 150


def test_who_wants_the_whole_budget_is_not_told_of_a_precision() -> None:
    finished = Paper(noisy).race("a bb", Settings(budget_s=150, precision=0.0))
    assert "is spent after 5 rounds: ±" in finished.why and "wanted" not in finished.why


def test_a_small_budget_gives_two_rounds_and_says_so() -> None:
    finished = Paper().race("a b c", Settings(budget_s=1))
    assert finished.rounds == 2
    assert "allows 2 rounds only" in finished.why


def test_who_is_far_behind_sits_once_where_there_is_no_time_for_two_rounds() -> None:
    steps = {"a": 1.0, "b": 1.1, "c": 9.0, "d": 90.0, "e": 91.0}
    paper = Paper(lambda name, round: steps[name])
    finished = paper.race("a b c d e", Settings(budget_s=60))
    assert [sorted(names) for names in paper.seated(2)] == [["a", "a" + AGAIN, "b", "c"]]
    standings = {s.name: s.rank for s in ranking(Scores(finished.trials).only(steps))}
    assert standings == {"a": 1, "b": 1, "c": 3, "d": 4, "e": 4}
    paper = Paper(lambda name, round: steps[name])
    paper.race("a b c d e", Settings(budget_s=600))
    assert "d" in paper.seated(2)[0], "there is time for all"


def test_who_sat_out_before_a_kill_sits_out_after_it() -> None:
    def step(name: str, round: int) -> float:
        return 20.0 if name == "slow" else 1.0

    whole = Paper(step, trial_s=10).race("a b slow", Settings(budget_s=55))
    assert [t.round for t in whole.trials if t.dialect == "slow"] == [1]
    ended = [t for t in whole.trials if t.round == 1 or t.dialect == "a"]
    resumed = Paper(step, trial_s=10).race("a b slow", Settings(budget_s=55), tuple(ended))
    assert [t.round for t in resumed.trials if t.dialect == "slow"] == [1]


def test_a_sitting_takes_no_more_than_leaves_time_for_four_rounds() -> None:
    paper = Paper(noisy)
    paper.race("a bb", Settings(budget_s=150, precision=0.001))
    # 20 s go by in the first round, 30 s in each later one.
    assert [s.at_most_s for s in paper.sittings[:4]] == [150 / 4, 130 / 3, 100 / 2, 70]
    paper = Paper(noisy)
    paper.race(" ".join("abcdefghi"), Settings(budget_s=900, min_rounds=3))
    assert paper.sittings[0].at_most_s == pytest.approx(6 / 9 * 900 / 3), "six of nine sit first"
    paper = Paper(noisy)
    paper.race("a bb", Settings(budget_s=150, life_rounds=1))
    assert paper.sittings[0].at_most_s == 150 / 4 / 2, "half of it for life after training"


def test_everyone_sits_in_every_round_in_an_order_of_its_own() -> None:
    paper = Paper(noisy)
    paper.race("a b c d", Settings(budget_s=500, precision=1e-6))
    rounds = [paper.seated(number) for number in range(1, 11)]
    assert paper.seated(11) == []
    assert all(len(groups) == 1 for groups in rounds)
    assert rounds[0] == [order(list("dcba"), 1, seed=0)]
    assert all({*"abcd"} < {*groups[0]} for groups in rounds[1:])
    assert len({tuple(groups[0]) for groups in rounds}) > 3
    assert any(order(list("abcd"), r, 1) != order(list("abcd"), r, 0) for r in range(1, 9))


def test_the_fastest_has_a_twin_from_the_second_round_on() -> None:
    paper = Paper(lambda name, round: {"a": 3.0, "b": 1.0, "c": 2.0}[name])
    paper.race("a b c", Settings(budget_s=1e6))
    assert [groups[0][:2] for groups in map(paper.seated, (2, 3))] == [["b", "b" + AGAIN]] * 2
    assert not any(name.endswith(AGAIN) for name in paper.seated(1)[0])


def test_too_many_for_one_group_meet_through_an_anchor() -> None:
    names = "a b c d e f g h i j k"
    paper = Paper(lambda name, round: ord(name) * (1 + round))
    finished = paper.race(names, Settings(budget_s=1e6))
    assert finished.rounds == 4
    for number in (2, 3, 4):
        groups = paper.seated(number)
        assert all(len(group) <= MOST_ALIVE and group[0] == "a" for group in groups)
        assert sum("a" + AGAIN in group for group in groups) == 1
        assert sorted({n for g in groups for n in g} - {"a" + AGAIN}) == names.split()
    scores = Scores(finished.trials)
    for name in names.split():
        assert scores.ratios(name, "a") == pytest.approx(
            dict.fromkeys((1, 2, 3, 4), ord(name) / 97)
        )
    assert len(scores.ratios("k", "b")) == 4, "also in the first round, whose groups met too"


def test_who_finds_no_room_sits_in_another_group() -> None:
    paper = Paper(lambda name, round: ord(name), room=2)
    finished = paper.race("a b c d", Settings(budget_s=1e6))
    assert finished.rounds == 4
    assert all(len(group) <= 3 for number in (1, 2, 3, 4) for group in paper.seated(number))
    assert set(Scores(finished.trials).names) == {*"abcd", "a" + AGAIN}


def test_steps_a_block_are_chosen_once() -> None:
    paper = Paper()
    paper.race("a bb", Settings(budget_s=1e6))
    for name, slot in paper.slots:
        chosen = 7 + len(name.removesuffix(AGAIN))
        assert slot.steps == (None if slot.round == 1 else chosen)


def test_life_is_measured_as_often_as_asked_and_never_twice_over() -> None:
    paper = Paper(noisy)
    paper.race("a b", Settings(budget_s=300, precision=1e-6, life_rounds=2))
    lives = [(name, slot.round) for name, slot in paper.slots if slot.life]
    # No trial of paper has a life, so it is asked for again and again, but of no twin.
    assert lives and not any(name.endswith(AGAIN) for name, _ in lives)


def test_effort_goes_where_the_order_is_open() -> None:
    """c is far behind and known well enough to sit out; a and b are not told apart yet."""
    wobble = lambda round: 1 + 0.2 * ((round * 7) % 5 - 2) / 2  # noqa: E731
    steps = {"a": lambda r: 1.0, "b": lambda r: 1.01 * wobble(r), "c": lambda r: 99.0 * wobble(r)}
    paper = Paper(lambda name, round: steps[name](round))
    paper.race("a b c", Settings(budget_s=600, precision=0.001))
    assert "c" in paper.seated(4)[0]
    later = [name for number in range(5, 30) for group in paper.seated(number) for name in group]
    assert later.count("b") > 5 and "c" not in later


class Ear(Silent):
    def __init__(self) -> None:
        self.heard: list[str] = []

    def note(self, text: str) -> None:
        self.heard.append(text)


def test_a_budget_too_small_for_two_rounds_is_said_after_the_first() -> None:
    paper, ear = Paper(), Ear()
    plan = Plan("paper", tuple(map(contestant, "abc")), Settings(budget_s=35))
    finished = race(plan, ear, (), paper.sit, lambda: paper.now)
    # The second round has three and the first one's twin, ten seconds each.
    more = "about 35 s more than the budget of 35 s"
    assert ear.heard == [f"2 rounds are the least, and will take {more}", finished.why]
    assert finished.rounds == 2 and paper.now == 1000 + 35 + 35


def test_others_who_keep_the_processors_busy_are_said_at_once() -> None:
    paper, ear = Paper(others_busy=1.3), Ear()
    plan = Plan("paper", tuple(map(contestant, "ab")), Settings(budget_s=1e6))
    race(plan, ear, (), paper.sit, lambda: paper.now)
    assert ear.heard[0].startswith("others keep 1.3 of ") and len(ear.heard) == 2


def test_a_precision_out_of_reach_is_said_early() -> None:
    paper, ear = Paper(noisy), Ear()
    plan = Plan("paper", (contestant("a"), contestant("b")), Settings(budget_s=300, precision=0.01))
    finished = race(plan, ear, (), paper.sit, lambda: paper.now)
    early, last = ear.heard
    assert early.startswith("±1.0% would take about ") and "the budget is 5 min" in early
    assert last == finished.why


def test_two_failures_end_a_contestant_and_nobody_else() -> None:
    paper = Paper(ends=lambda name, round: CRASH if name == "bad" else OK)
    finished = paper.race("bad a b", Settings(budget_s=1e6))
    assert [t.round for t in finished.trials if t.dialect == "bad"] == [1, 2]
    assert [t.round for t in finished.trials if t.dialect == "b"] == [1, 2, 3, 4]


def test_an_anchor_that_crashes_is_replaced() -> None:
    steps = {"a": 1.0, "b": 2.0, "c": 3.0}
    ends = lambda name, round: CRASH if name == "a" and round > 1 else OK  # noqa: E731
    paper = Paper(lambda name, round: steps[name] + noisy(name, round), ends)
    finished = paper.race("a b c", Settings(budget_s=400, precision=1e-6))
    assert [t.round for t in finished.trials if t.dialect == "a"] == [1, 2, 3]
    assert all(paper.seated(n)[0][:2] == ["b", "b" + AGAIN] for n in range(4, finished.rounds + 1))
    assert finished.rounds > 5


def test_nobody_waits_for_who_is_out() -> None:
    """One good trial, then two crashes: no interval, and the others' precision decides."""
    paper = Paper(ends=lambda name, round: CRASH if name == "bad" and round > 1 else OK)
    finished = paper.race("bad a b", Settings(budget_s=1e6))
    assert finished.rounds == 4 and "reached" in finished.why


def test_one_failure_is_forgiven() -> None:
    paper = Paper(
        lambda name, round: float(ord(name)),
        ends=lambda name, round: CRASH if (name, round) == ("b", 2) else OK,
    )
    finished = paper.race("a b", Settings(budget_s=1e6))
    # Four shared rounds are needed to tell them apart, so a fifth is run.
    well = [t.outcome.ok for t in finished.trials if t.dialect == "b"]
    assert well == [True, False, True, True, True]


def test_a_race_nobody_survives_ends() -> None:
    finished = Paper(ends=lambda name, round: CRASH).race("a b", Settings(budget_s=1e6))
    assert (finished.rounds, len(finished.trials)) == (2, 4)
    assert finished.why == "no contestant is left"


@pytest.mark.parametrize("status", ["not-installed", "timed-out"])
def test_the_hopeless_are_tried_once(status: str) -> None:
    ends = lambda name, round: Outcome(status) if name == "bad" else OK  # noqa: E731
    finished = Paper(ends=ends).race("bad a b", Settings(budget_s=1e6))
    assert len([t for t in finished.trials if t.dialect == "bad"]) == 1


@pytest.mark.parametrize("names", ["a b c", "a b c d e f g h"])
@pytest.mark.parametrize("kept", range(1, 12))
def test_a_resumed_race_is_the_race(kept: int, names: str) -> None:
    """Killed after any sitting and resumed, the same trials are made, each once."""
    settings = Settings(budget_s=600, precision=1e-6)
    whole = Paper(noisy).race(names, settings)
    ended = [t for t in whole.trials if (t.round, t.group) <= _sittings(whole.trials)[kept]]
    resumed = Paper(noisy).race(names, settings, earlier=tuple(ended))
    assert resumed == whole


def _sittings(trials: tuple[Trial, ...]) -> list[tuple[int, int]]:
    return sorted({(t.round, t.group) for t in trials})


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
    race(plan, watch, (), paper.sit, lambda: paper.now)
    lefts = [progress.left_s for progress in watch.seen]
    assert lefts == sorted(lefts, reverse=True)
    assert lefts[0] == 80 and lefts[-1] < 30, "less than another round takes"


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
    assert warm(lambda i: 6.0, Settings(warmup_s=10.0)) == (Warm(2, 12.0, 6.0, cut=True), [1, 1])


def test_slow_first_steps_do_not_mislead() -> None:
    found, _ = warm(lambda i: 0.4 if i < 3 else 0.01, Settings(block_s=1.0))
    assert found.step_s < 0.02 and found.steps > 20


def test_a_stone_that_measures_otherwise_does_not_go_on_with_a_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    test = tmp_path / "test.npz"
    test.write_bytes(b"")
    for made in (Plan("w", ()), Syllabus("w", (), (), test, Terms(1, 1, 1, 1.0))):
        before = made.digest()
        assert made.digest() == before
        with monkeypatch.context() as other:
            other.setattr(plans, "own_source", lambda *places: "another")
            assert made.digest() != before


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
