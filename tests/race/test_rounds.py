"""The scheduler, with a clock of its own and trials that are only values."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace as replaced
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace
from racing import subject

from tensorstone.analysis.ranking import ranking
from tensorstone.analysis.scores import Scores
from tensorstone.race import plan as plans
from tensorstone.race import stop
from tensorstone.race.group_run import Group
from tensorstone.race.plan import Contestant, Plan, order
from tensorstone.race.process_run import Assignment
from tensorstone.race.rounds import MOST_ALIVE, Race, race
from tensorstone.race.warmup import Warm, warm_up
from tensorstone.results.events import Observer, RaceProgress, SilentObserver
from tensorstone.results.outcome import OK, Outcome
from tensorstone.results.settings import RaceSettings, TrainingSettings
from tensorstone.results.trial import Block, Racer, Trial
from tensorstone.runtime.invocation import Invocation
from tensorstone.session.training_plan import TrainingPlan

NOWHERE = Path("nowhere")
CRASH = Outcome("crashed", "SIGSEGV during block")


def contestant(name: str) -> Contestant:
    invocation = Invocation(NOWHERE, {}, (), 1, NOWHERE)
    return Contestant(name, subject(), NOWHERE, NOWHERE, [], invocation, NOWHERE, NOWHERE)


def again(name: str) -> Racer:
    return Racer(name, "aa-control")


def racers(names: str) -> list[Racer]:
    return [Racer(name) for name in names.split()]


def block(step_s: float, steps: int = 10) -> Block:
    return Block(steps, step_s * steps, step_s * steps, 0, 0, 0, 0)


class Simulated:
    """Every trial takes `trial_s`; a step takes what `step` says, or ends as `ends` says. So many
    start at once as `room` says."""

    def __init__(
        self,
        step: Callable[[str, int], float] = lambda name, round: 1.0,
        ends: Callable[[str, int], Outcome] = lambda name, round: OK,
        trial_s: float = 10.0,
        room: int = 100,
        background_load: float | None = None,
    ) -> None:
        self.now = 1000.0
        self.assigned: list[tuple[Racer, Assignment]] = []
        self.groups: list[Group] = []
        self._step, self._ends, self._trial_s, self._room = step, ends, trial_s, room
        self._background_load = background_load

    def run_group(self, group: Group, settings: RaceSettings, observer: Observer) -> list[Trial]:
        self.groups.append(group)
        started = max(self._room, group.indispensable + 1)
        return [self._trial(who, assignment) for who, assignment in group.members[:started]]

    def _trial(self, who: Contestant, assignment: Assignment) -> Trial:
        self.now += self._trial_s
        self.assigned.append((who.racer, assignment))
        ended = self._ends(who.dialect, assignment.round)
        outcome = ended if who.role == "contestant" else OK
        steps = assignment.steps or 7 + len(who.dialect)
        # Of a trial's time blocks are next to nothing.
        step_s = 1e-4 * self._step(who.dialect, assignment.round)
        blocks = (block(step_s, steps),) if outcome.ok else ()
        return Trial(
            who.dialect,
            assignment.round,
            assignment.place,
            assignment.group,
            who.role,
            outcome,
            blocks=blocks,
            background_load=self._background_load,
            wall_s=self._trial_s,
        )

    def race(self, names: str, settings: RaceSettings, earlier: tuple[Trial, ...] = ()) -> Race:
        plan = Plan("simulated", tuple(contestant(name) for name in names.split()), settings)
        return race(plan, SilentObserver(), earlier, self.run_group, lambda: self.now)

    def together(self, round: int) -> list[list[Racer]]:
        """Who took turns with whom in a round, group by group."""
        groups: dict[int, list[Racer]] = {}
        for racer, assignment in self.assigned:
            if assignment.round == round:
                groups.setdefault(assignment.group, []).append(racer)
        return list(groups.values())


def noisy(name: str, round: int) -> float:
    return random.Random(f"{name}/{round}").uniform(0.7, 1.3)


def test_it_stops_when_precise_enough() -> None:
    finished = Simulated(lambda name, round: len(name)).race("a bb", RaceSettings(budget_s=1e6))
    assert finished.rounds == 4
    assert finished.why == "precision ±0.0% reached after 4 rounds"


def test_it_stops_when_the_budget_is_spent_and_says_so() -> None:
    simulated = Simulated(noisy)
    finished = simulated.race("a bb", RaceSettings(budget_s=150, precision=0.001))
    assert finished.rounds == 5  # 20 s, then 30 s each with the control; a sixth would end at 170 s
    assert finished.why.startswith("the budget of 2 min 30 s is spent after 5 rounds: precision ±")
    assert finished.why.endswith(", wanted ±0.1%")
    assert simulated.now - 1000.0 <= 150


def test_who_wants_the_whole_budget_is_not_told_of_a_precision() -> None:
    finished = Simulated(noisy).race("a bb", RaceSettings(budget_s=150, precision=0.0))
    assert "is spent after 5 rounds: precision ±" in finished.why and "wanted" not in finished.why


def test_a_small_budget_gives_two_rounds_and_says_so() -> None:
    finished = Simulated().race("a b c", RaceSettings(budget_s=1))
    assert finished.rounds == 2
    assert "allows 2 rounds only" in finished.why


def test_who_is_far_behind_runs_once_where_there_is_no_time_for_two_rounds() -> None:
    steps = {"a": 1.0, "b": 1.1, "c": 9.0, "d": 90.0, "e": 91.0}
    simulated = Simulated(lambda name, round: steps[name])
    finished = simulated.race("a b c d e", RaceSettings(budget_s=60))
    assert [sorted(group) for group in simulated.together(2)] == [
        sorted([again("a"), *racers("a b c")])
    ]
    standings = {s.name: s.rank for s in ranking(Scores(finished.trials).only(steps))}
    assert standings == {"a": 1, "b": 1, "c": 3, "d": 4, "e": 4}
    simulated = Simulated(lambda name, round: steps[name])
    simulated.race("a b c d e", RaceSettings(budget_s=600))
    assert Racer("d") in simulated.together(2)[0], "there is time for all"


def test_who_was_left_out_before_a_kill_is_left_out_after_it() -> None:
    def step(name: str, round: int) -> float:
        return 20.0 if name == "slow" else 1.0

    whole = Simulated(step, trial_s=10).race("a b slow", RaceSettings(budget_s=55))
    assert [t.round for t in whole.trials if t.racer == Racer("slow")] == [1]
    ended = [t for t in whole.trials if t.round == 1 or t.dialect == "a"]
    resumed = Simulated(step, trial_s=10).race("a b slow", RaceSettings(budget_s=55), tuple(ended))
    assert [t.round for t in resumed.trials if t.racer == Racer("slow")] == [1]


def test_a_group_takes_no_more_than_leaves_time_for_four_rounds() -> None:
    simulated = Simulated(noisy)
    simulated.race("a bb", RaceSettings(budget_s=150, precision=0.001))
    # 20 s go by in the first round, 30 s in each later one.
    assert [group.at_most_s for group in simulated.groups[:4]] == [150 / 4, 130 / 3, 100 / 2, 70]
    simulated = Simulated(noisy)
    simulated.race(" ".join("abcdefghi"), RaceSettings(budget_s=900, min_rounds=3))
    assert simulated.groups[0].at_most_s == pytest.approx(6 / 9 * 900 / 3), "six of nine first"
    simulated = Simulated(noisy)
    simulated.race("a bb", RaceSettings(budget_s=150, deployments=1))
    assert simulated.groups[0].at_most_s == 150 / 4 / 2, "half of it for deployment"


def test_everyone_runs_in_every_round_in_an_order_of_its_own() -> None:
    simulated = Simulated(noisy)
    simulated.race("a b c d", RaceSettings(budget_s=500, precision=1e-6))
    rounds = [simulated.together(number) for number in range(1, 11)]
    assert simulated.together(11) == []
    assert all(len(groups) == 1 for groups in rounds)
    assert rounds[0] == [list(map(Racer, order(list("dcba"), 1, seed=0)))]
    assert all({*racers("a b c d")} < {*groups[0]} for groups in rounds[1:])
    assert len({tuple(groups[0]) for groups in rounds}) > 3
    assert any(order(list("abcd"), r, 1) != order(list("abcd"), r, 0) for r in range(1, 9))


def test_the_fastest_has_a_control_from_the_second_round_on() -> None:
    simulated = Simulated(lambda name, round: {"a": 3.0, "b": 1.0, "c": 2.0}[name])
    simulated.race("a b c", RaceSettings(budget_s=1e6))
    assert [groups[0][:2] for groups in map(simulated.together, (2, 3))] == [
        [Racer("b"), again("b")]
    ] * 2
    assert again("b") not in simulated.together(1)[0]


def test_too_many_for_one_group_meet_through_an_anchor() -> None:
    names = "a b c d e f g h i j k"
    simulated = Simulated(lambda name, round: ord(name) * (1 + round))
    finished = simulated.race(names, RaceSettings(budget_s=1e6))
    assert finished.rounds == 4
    for number in (2, 3, 4):
        groups = simulated.together(number)
        assert all(len(group) <= MOST_ALIVE and group[0] == Racer("a") for group in groups)
        assert sum(again("a") in group for group in groups) == 1
        assert sorted({r for g in groups for r in g} - {again("a")}) == racers(names)
    scores = Scores(finished.trials)
    for name in names.split():
        assert scores.ratios(name, "a") == pytest.approx(
            dict.fromkeys((1, 2, 3, 4), ord(name) / 97)
        )
    assert len(scores.ratios("k", "b")) == 4, "also in the first round, whose groups met too"


def test_who_finds_no_room_runs_in_another_group() -> None:
    simulated = Simulated(lambda name, round: ord(name), room=2)
    finished = simulated.race("a b c d", RaceSettings(budget_s=1e6))
    assert finished.rounds == 4
    assert all(len(group) <= 3 for number in (1, 2, 3, 4) for group in simulated.together(number))
    assert Scores(finished.trials).names == [*"abcd"]
    assert Scores(finished.trials).controlled("aa-control") == ["a"]


def test_steps_a_block_are_chosen_once() -> None:
    simulated = Simulated()
    simulated.race("a bb", RaceSettings(budget_s=1e6))
    for racer, assignment in simulated.assigned:
        chosen = 7 + len(racer.dialect)
        assert assignment.steps == (None if assignment.round == 1 else chosen)


def test_deployment_is_measured_as_often_as_asked_and_never_twice_over() -> None:
    simulated = Simulated(noisy)
    simulated.race("a b", RaceSettings(budget_s=300, precision=1e-6, deployments=2))
    deployed = [racer for racer, assignment in simulated.assigned if assignment.deploy]
    # No simulated trial has a deployment, so it is asked for again and again, but of no control.
    assert deployed and {racer.role for racer in deployed} == {"contestant"}


def test_effort_goes_where_the_order_is_open() -> None:
    """c is far behind and known well enough to be left out; a and b are not told apart yet."""
    wobble = lambda round: 1 + 0.2 * ((round * 7) % 5 - 2) / 2  # noqa: E731
    steps = {"a": lambda r: 1.0, "b": lambda r: 1.01 * wobble(r), "c": lambda r: 99.0 * wobble(r)}
    simulated = Simulated(lambda name, round: steps[name](round))
    simulated.race("a b c", RaceSettings(budget_s=600, precision=0.001))
    assert Racer("c") in simulated.together(4)[0]
    later = [r for number in range(5, 30) for group in simulated.together(number) for r in group]
    assert later.count(Racer("b")) > 5 and Racer("c") not in later


class Ear(SilentObserver):
    def __init__(self) -> None:
        self.heard: list[str] = []

    def note(self, text: str) -> None:
        self.heard.append(text)


def test_a_budget_too_small_for_two_rounds_is_said_after_the_first() -> None:
    simulated, ear = Simulated(), Ear()
    plan = Plan("simulated", tuple(map(contestant, "abc")), RaceSettings(budget_s=35))
    finished = race(plan, ear, (), simulated.run_group, lambda: simulated.now)
    # The second round has three and the first one's control, ten seconds each.
    more = "about 35 s more than the budget of 35 s"
    assert ear.heard == [f"at least 2 rounds are run; they will take {more}", finished.why]
    assert finished.rounds == 2 and simulated.now == 1000 + 35 + 35


def test_others_who_keep_the_processors_busy_are_said_at_once() -> None:
    simulated, ear = Simulated(background_load=1.3), Ear()
    plan = Plan("simulated", tuple(map(contestant, "ab")), RaceSettings(budget_s=1e6))
    race(plan, ear, (), simulated.run_group, lambda: simulated.now)
    assert ear.heard[0].startswith("other processes use 1.3 of ") and len(ear.heard) == 2


def test_a_precision_out_of_reach_is_said_early() -> None:
    simulated, ear = Simulated(noisy), Ear()
    plan = Plan(
        "simulated", (contestant("a"), contestant("b")), RaceSettings(budget_s=300, precision=0.01)
    )
    finished = race(plan, ear, (), simulated.run_group, lambda: simulated.now)
    early, last = ear.heard
    assert early.startswith("a precision of ±1.0% would take about ")
    assert "the budget is 5 min" in early
    assert last == finished.why


def test_two_failures_end_a_contestant_and_nobody_else() -> None:
    simulated = Simulated(ends=lambda name, round: CRASH if name == "bad" else OK)
    finished = simulated.race("bad a b", RaceSettings(budget_s=1e6))
    assert [t.round for t in finished.trials if t.racer == Racer("bad")] == [1, 2]
    assert [t.round for t in finished.trials if t.racer == Racer("b")] == [1, 2, 3, 4]


def test_an_anchor_that_crashes_is_replaced() -> None:
    steps = {"a": 1.0, "b": 2.0, "c": 3.0}
    ends = lambda name, round: CRASH if name == "a" and round > 1 else OK  # noqa: E731
    simulated = Simulated(lambda name, round: steps[name] + noisy(name, round), ends)
    finished = simulated.race("a b c", RaceSettings(budget_s=400, precision=1e-6))
    assert [t.round for t in finished.trials if t.racer == Racer("a")] == [1, 2, 3]
    assert all(
        simulated.together(n)[0][:2] == [Racer("b"), again("b")]
        for n in range(4, finished.rounds + 1)
    )
    assert finished.rounds > 5


def test_nobody_waits_for_who_is_out() -> None:
    """One good trial, then two crashes: no interval, and the others' precision decides."""
    simulated = Simulated(ends=lambda name, round: CRASH if name == "bad" and round > 1 else OK)
    finished = simulated.race("bad a b", RaceSettings(budget_s=1e6))
    assert finished.rounds == 4 and "reached" in finished.why


def test_one_failure_is_forgiven() -> None:
    simulated = Simulated(
        lambda name, round: float(ord(name)),
        ends=lambda name, round: CRASH if (name, round) == ("b", 2) else OK,
    )
    finished = simulated.race("a b", RaceSettings(budget_s=1e6))
    # Four shared rounds are needed to tell them apart, so a fifth is run.
    well = [t.outcome.ok for t in finished.trials if t.racer == Racer("b")]
    assert well == [True, False, True, True, True]


def test_a_race_nobody_survives_ends() -> None:
    finished = Simulated(ends=lambda name, round: CRASH).race("a b", RaceSettings(budget_s=1e6))
    assert (finished.rounds, len(finished.trials)) == (2, 4)
    assert finished.why == "all contestants failed"


@pytest.mark.parametrize("status", ["not-installed", "timed-out"])
def test_the_hopeless_are_tried_once(status: str) -> None:
    ends = lambda name, round: Outcome(status) if name == "bad" else OK  # noqa: E731
    finished = Simulated(ends=ends).race("bad a b", RaceSettings(budget_s=1e6))
    assert len([t for t in finished.trials if t.racer == Racer("bad")]) == 1


@pytest.mark.parametrize("names", ["a b c", "a b c d e f g h"])
@pytest.mark.parametrize("kept", range(1, 12))
def test_a_resumed_race_is_the_race(kept: int, names: str) -> None:
    """Killed after any group and resumed, the same trials are made, each once."""
    settings = RaceSettings(budget_s=600, precision=1e-6)
    whole = Simulated(noisy).race(names, settings)
    ended = [t for t in whole.trials if (t.round, t.group) <= _groups(whole.trials)[kept]]
    resumed = Simulated(noisy).race(names, settings, earlier=tuple(ended))
    assert resumed == whole


def _groups(trials: tuple[Trial, ...]) -> list[tuple[int, int]]:
    return sorted({(t.round, t.group) for t in trials})


def test_timeouts_come_from_the_budget_then_from_what_was_seen() -> None:
    assert stop.trial_timeout(RaceSettings(budget_s=300), []) == 150
    assert stop.trial_timeout(RaceSettings(budget_s=10), []) == 120
    assert stop.trial_timeout(RaceSettings(budget_s=1e6), []) == 600
    assert stop.trial_timeout(RaceSettings(budget_s=300), [2.0, 3.0]) == 240
    assert stop.trial_timeout(RaceSettings(budget_s=300), [20.0, 30.0]) == 300
    assert stop.trial_timeout(RaceSettings(trial_timeout_s=5), [20.0]) == 5


def test_progress_counts_down() -> None:
    class Watch(SilentObserver):
        def __init__(self) -> None:
            self.seen: list[RaceProgress] = []

        def trial_ended(self, trial: Trial, progress: RaceProgress) -> None:
            self.seen.append(progress)

    simulated, watch = Simulated(noisy), Watch()
    plan = Plan(
        "simulated", (contestant("a"), contestant("b")), RaceSettings(budget_s=100, precision=1e-9)
    )
    race(plan, watch, (), simulated.run_group, lambda: simulated.now)
    lefts = [progress.left_s for progress in watch.seen]
    assert lefts == sorted(lefts, reverse=True)
    assert lefts[0] == 80 and lefts[-1] < 30, "less than another round takes"


def warm(step_s: Callable[[int], float], settings: RaceSettings) -> tuple[Warm, list[int]]:
    ran: list[int] = []

    def timed(steps: int, expected_s: float) -> Block:
        wall = sum(step_s(sum(ran) + i) for i in range(steps))
        ran.append(steps)
        return replace(block(1.0, steps), wall_s=wall)

    return warm_up(timed, settings, 1.0), ran


def test_warm_up_goes_on_until_a_block_is_long_enough() -> None:
    found, ran = warm(lambda i: 0.001, RaceSettings(block_s=1.0))
    assert (found.steps, found.cut) == (sum(ran), False)
    assert found.step_s == pytest.approx(0.001)
    assert ran[-1] * 0.001 >= 0.5
    assert all(b <= 10 * a for a, b in pairwise(ran))


def test_warm_up_of_slow_steps_is_cut_and_said() -> None:
    assert warm(lambda i: 6.0, RaceSettings(warmup_s=10.0)) == (
        Warm(2, 12.0, 6.0, cut=True),
        [1, 1],
    )


def test_slow_first_steps_do_not_mislead() -> None:
    found, _ = warm(lambda i: 0.4 if i < 3 else 0.01, RaceSettings(block_s=1.0))
    assert found.step_s < 0.02 and found.steps > 20


def test_a_stone_that_measures_otherwise_does_not_go_on_with_a_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    test = tmp_path / "test.npz"
    test.write_bytes(b"")
    for made in (Plan("w", ()), TrainingPlan("w", (), tmp_path, test, TrainingSettings(1, 1, 1.0))):
        before = made.digest()
        assert made.digest() == before
        with monkeypatch.context() as other:
            other.setattr(plans, "source_digest", lambda *purposes: "another")
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
        made = Contestant("a", subject("program"), layers=[], invocation=invocation, **paths)
        changed = [
            replaced(made, subject=subject("changed")),
            replaced(made, subject=subject("program", batch=9)),
        ]
        digests.append([Plan("w", (who,)).digest() for who in (made, *changed)])
        for name in ("bridge", "weights", "data"):
            (here / name).write_text("changed", encoding="utf-8")
            digests[-1].append(Plan("w", (made,)).digest())
    assert digests[0] == digests[1]
    assert len({*digests[0]}) == len(digests[0]), "each is another race"
