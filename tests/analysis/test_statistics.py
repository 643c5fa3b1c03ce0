"""The statistics keep their promises: invariances, coverage, ties, and silence below three."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Iterable, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tensorstone.analysis.bootstrap import CLAIM, geometric
from tensorstone.analysis.controls import aa_control
from tensorstone.analysis.ranking import differs, paired_ratio, ranking, undecided
from tensorstone.analysis.scores import Scores, middle
from tensorstone.results.trial import Block, Role, Trial

times = st.floats(1e-6, 1e3)
samples = st.lists(times, min_size=3, max_size=12)


def close(a: float | None, b: float | None) -> bool:
    assert a is not None and b is not None
    return math.isclose(a, b, rel_tol=1e-9)


@given(samples, st.floats(1e-3, 1e3))
def test_scaling_the_values_scales_the_estimate(values: list[float], factor: float) -> None:
    plain, scaled = geometric(values), geometric([value * factor for value in values])
    assert close(scaled.value, plain.value * factor)
    assert plain.low is not None and plain.high is not None
    assert close(scaled.low, plain.low * factor)
    assert close(scaled.high, plain.high * factor)


@given(samples, st.randoms())
def test_the_order_of_values_does_not_matter(values: list[float], rng: random.Random) -> None:
    shuffled = values.copy()
    rng.shuffle(shuffled)
    assert geometric(shuffled) == geometric(values)


@given(samples)
def test_the_estimate_lies_in_its_interval(values: list[float]) -> None:
    estimate = geometric(values)
    assert estimate.low is not None and estimate.high is not None
    assert estimate.low <= estimate.value <= estimate.high


@pytest.mark.parametrize("values", [[1.0], [1.0, 2.0]])
def test_below_three_values_there_is_no_interval(values: list[float]) -> None:
    estimate = geometric(values)
    assert (estimate.low, estimate.high, estimate.half_width) == (None, None, None)


@pytest.mark.parametrize("processes", [3, 4, 6, 10])
@pytest.mark.parametrize("confidence", [0.95, 0.99, CLAIM])
def test_the_truth_is_missed_as_rarely_as_promised(processes: int, confidence: float) -> None:
    rng, draws = random.Random(processes), 4000
    missed = 0
    for _ in range(draws):
        found = geometric([rng.lognormvariate(0, 0.1) for _ in range(processes)], confidence)
        assert found.low is not None and found.high is not None
        missed += not found.low <= 1.0 <= found.high
    promised = 1 - confidence
    error = math.sqrt(promised * confidence / draws)
    assert missed / draws == pytest.approx(promised, abs=3 * error)


def ran(
    name: str, round: int, steps: Iterable[float], group: int = 0, role: Role = "contestant"
) -> Trial:
    blocks = tuple(Block(1, step, step, 0, 0, 0, 0) for step in steps)
    return Trial(name, round, 0, group, role, blocks=blocks)


def control(name: str, round: int, steps: Iterable[float]) -> Trial:
    """Of its A/A control."""
    return ran(name, round, steps, role="aa-control")


def scores(**values: Mapping[int, float] | Sequence[float]) -> Scores:
    """Of contestants with one block in every round."""
    by_round = {
        name: given if isinstance(given, Mapping) else dict(enumerate(given))
        for name, given in values.items()
    }
    return Scores(ran(name, r, [v]) for name, steps in by_round.items() for r, v in steps.items())


def raced(rng: random.Random, rounds: int, truth: float, turns: int = 7) -> Scores:
    """Two contestants: processes differ, blocks in a process differ, and all that are near in time
    share the machine's mood, which wanders by far more."""
    trials = []
    for round in range(rounds):
        mood, steps = rng.gauss(0, 0.2), {"a": truth, "b": 1.0}
        process = {name: step * math.exp(rng.gauss(0, 0.02)) for name, step in steps.items()}
        moods = [mood + rng.gauss(0, 0.2) for _ in range(turns)]
        trials += [
            ran(name, round, [step * math.exp(m + rng.gauss(0, 0.01)) for m in moods])
            for name, step in process.items()
        ]
    return Scores(trials)


@pytest.mark.parametrize("rounds", [3, 5, 10])
def test_the_interval_of_a_ratio_covers_the_truth(rounds: int) -> None:
    rng = random.Random(rounds)
    truth, races, hits = 1.3, 600, 0
    for _ in range(races):
        ratio = paired_ratio(raced(rng, rounds, truth), "a", "b")
        assert ratio is not None and ratio.low is not None and ratio.high is not None
        hits += ratio.low <= truth <= ratio.high
    # 95 % is promised; three standard errors of 600 races are 2.7 %.
    assert 0.923 <= hits / races <= 0.98


@pytest.mark.parametrize("rounds", [4, 6, 12])
def test_equals_are_called_different_twice_in_a_thousand(rounds: int) -> None:
    rng = random.Random(rounds)
    claims = sum(differs(raced(rng, rounds, 1.0), "a", "b") for _ in range(2000))
    # 0.2 % is promised; three standard errors of 2000 races are 0.3 %.
    assert 1 <= claims <= 10


@pytest.mark.parametrize("rounds", [1, 2, 3, 4, 5])
def test_processes_of_two_kinds_are_seldom_called_different(rounds: int) -> None:
    """Half as long again with page faults as without: that all of one program's few processes have
    them, and none of its equal's, does happen."""
    rng, draws = random.Random(rounds), 4000

    def processes() -> list[float]:
        kinds = [1.5 if rng.random() < 0.5 else 1.0 for _ in range(rounds)]
        return [kind * rng.lognormvariate(0, 0.02) for kind in kinds]

    claims = sum(differs(scores(a=processes(), b=processes()), "a", "b") for _ in range(draws))
    # At worst once in a hundred; three standard errors of 4000 races are 0.5 %.
    assert claims <= 0.015 * draws


def test_a_difference_of_five_per_cent_is_found() -> None:
    rng = random.Random(5)
    found = sum(differs(raced(rng, 15, 1.05), "a", "b") for _ in range(200))
    assert found >= 190


def test_what_slows_a_turn_slows_both() -> None:
    mood = [0.5, 1.0, 3.0, 2.0]
    race = Scores([ran("a", 1, [2 * m for m in mood]), ran("b", 1, mood)])
    assert race.ratios("a", "b") == pytest.approx({1: 2.0})


def test_only_shared_rounds_are_compared() -> None:
    race = scores(a={1: 2.0, 2: 4.0, 9: 100.0}, b={1: 1.0, 2: 2.0, 7: 0.001})
    ratio = paired_ratio(race, "a", "b")
    assert ratio is not None and ratio.n == 2 and close(ratio.value, 2.0)
    assert paired_ratio(scores(a={1: 1.0}, b={2: 1.0}), "a", "b") is None


def disturbed(trial: Trial, *turns: int) -> Trial:
    blocks = tuple(
        replace(block, disturbed=True) if turn in turns else block
        for turn, block in enumerate(trial.blocks)
    )
    return replace(trial, blocks=blocks)


def test_a_turn_that_others_disturbed_counts_for_nobody() -> None:
    slow = disturbed(ran("a", 1, [9.0, 2.0, 9.0, 2.0, 2.0]), 0)
    fast = disturbed(ran("b", 1, [1.0, 1.0, 3.0, 1.0, 1.0]), 2)
    race = Scores([slow, fast])
    assert race.turns("a", "b") == {(1, 0): pytest.approx([math.log(2)] * 3)}
    assert race.steps("a") == {1: 2.0} and race.steps("b") == {1: 1.0}


def test_when_nearly_every_turn_was_disturbed_all_count() -> None:
    race = Scores([disturbed(ran("a", 1, [2.0] * 4), 0, 1), ran("b", 1, [1.0] * 4)])
    assert len(race.turns("a", "b")[1, 0]) == 4


def test_those_of_different_groups_are_compared_through_the_one_they_share() -> None:
    """The machine was three times as slow while the second group ran."""
    race = Scores(
        [
            *(ran("anchor", 1, [1.0, 1.0]), ran("a", 1, [4.0, 4.0])),
            *(ran("anchor", 1, [3.0, 3.0], group=1), ran("b", 1, [6.0, 6.0], group=1)),
        ]
    )
    assert race.ratios("a", "b") == pytest.approx({1: 2.0})
    assert race.steps("anchor") == pytest.approx({1: math.sqrt(3)})


@given(st.lists(st.tuples(times, times, times), min_size=4, max_size=9))
def test_nobody_is_faster_than_the_fastest(turns: list[tuple[float, ...]]) -> None:
    """A may beat B by the middle of their turns, B beat C and C beat A; else there is a fastest."""
    names = "abc"
    race = Scores([ran(name, 1, [turn[n] for turn in turns]) for n, name in enumerate(names)])
    slower = {name: [race.ratios(n, name)[1] for n in names if n != name] for name in names}
    there_is_one = any(min(ratios) >= 1 for ratios in slower.values())
    ratios = [standing.ratio.value for standing in ranking(race) if standing.ratio]
    assert ratios[0] == 1.0
    assert min(ratios) >= 1.0 - 1e-9 or not there_is_one


def test_two_processes_are_not_slower_than_one() -> None:
    """Blocks are slowed now and then and never hastened: the middle of a mean of two lies above the
    middle of one."""
    rng = random.Random(1)

    def blocks() -> list[float]:
        return [
            rng.lognormvariate(0, 0.02) * (1.5 if rng.random() < 0.15 else 1) for _ in range(16)
        ]

    race = Scores(
        process
        for round in range(500)
        for process in (
            ran("a", round, blocks()),
            control("a", round, blocks()),
            ran("b", round, blocks()),
        )
    )
    logs = [math.log(ratio) for ratio in race.ratios("b", "a").values()]
    error = statistics.stdev(logs) / math.sqrt(len(logs))
    assert error < 0.001 and abs(statistics.fmean(logs)) < 3 * error


def spread(centre: float, width: float) -> list[float]:
    return [centre * (1 + width * d) for d in (-1.0, 0.4, -0.2, 1.0, -0.3)]


def test_a_difference_within_the_margin_is_none() -> None:
    race = scores(a=spread(1.03, 0.0), b=spread(1.0, 0.0))
    assert differs(race, "a", "b")
    assert not differs(race, "a", "b", margin=0.05)


def test_ties_share_the_rank_of_their_leader() -> None:
    noisy = (1.00, 1.09, 0.99, 1.12, 0.98)
    standings = ranking(scores(c=spread(2.0, 0.0), a=spread(1.0, 0.0), b=noisy))
    assert [(s.name, s.rank) for s in standings] == [("a", 1), ("b", 1), ("c", 3)]
    assert standings[0].ratio is not None and standings[0].ratio.value == 1.0


def test_a_chain_of_ties_is_cut_at_the_leader() -> None:
    """a~b and b~c but not a~c: c leads the next group."""
    race = scores(a=spread(1.0, 0), b=spread(1.04, 0), c=spread(1.08, 0))
    assert [s.rank for s in ranking(race, margin=0.05)] == [1, 1, 3]


@given(st.dictionaries(st.sampled_from("abcdef"), st.lists(times, min_size=4, max_size=4)))
def test_a_ranking_is_ordered_and_independent_of_naming_order(
    values: dict[str, list[float]],
) -> None:
    standings = ranking(scores(**values))
    assert standings == ranking(scores(**dict(reversed(values.items()))))
    ranks = [s.rank for s in standings]
    assert ranks == sorted(ranks)
    assert all(rank == 1 or ranks.index(rank) == rank - 1 for rank in ranks)
    ratios = [s.ratio.value for s in standings if s.ratio]
    assert len(ratios) == len(values)
    assert ratios == pytest.approx(sorted(ratios), rel=1e-9)


def test_with_few_rounds_only_a_large_difference_counts() -> None:
    assert not differs(scores(a=[1.8, 1.9], b=[1.0, 1.0]), "a", "b")
    assert not differs(scores(a=[9.0, 1.2], b=[1.0, 1.0]), "a", "b")
    assert not differs(scores(a=[1.5, 1.5, 1.5], b=[1.0, 1.0, 1.0]), "a", "b")
    assert differs(scores(a=[2.1, 2.5, 2.2], b=[1.0, 1.0, 1.0]), "a", "b")
    assert differs(scores(a=[1.5, 1.5, 1.5, 1.5], b=[1.0, 1.0, 1.0, 1.0]), "a", "b")


def test_nothing_is_decided_until_everyone_has_an_interval() -> None:
    assert undecided(scores(), 0.02) == ([], None)
    names, widest = undecided(scores(a=spread(1, 0.1), b=[2.0, 2.0]), 0.02)
    assert (names, widest) == (["a", "b"], None)


def test_whoever_is_known_well_enough_sits_out() -> None:
    alone, widest = undecided(scores(a=spread(1, 0.1)), 0.02)
    assert alone == ["a"] and widest is not None and widest > 0.02
    assert undecided(scores(a=spread(1, 0.1), b=spread(2, 0.1)), 0.02)[0] == []


def test_a_difference_that_shows_is_not_left_open() -> None:
    """Known within ±2 %, and 2.5 % apart: not sure enough to say so yet."""
    race = scores(a=[1.0] * 4, b=[1.015, 1.035, 1.02, 1.03])
    assert not differs(race, "b", "a")
    assert undecided(race, 0.02)[0] == ["a", "b"]
    assert undecided(race, 0.03)[0] == [], "less than anybody wanted to know"


def test_an_open_order_comes_before_a_wide_interval() -> None:
    race = scores(a=spread(1, 0), b=spread(1.01, 0.1), c=spread(9, 0.1))
    names, widest = undecided(race, 0.001)
    assert names == ["a", "b"] and widest is not None


def test_a_ratio_to_the_fastest_needs_the_fastest() -> None:
    """Whoever is vague meets it again, even where the anchor is another."""
    race = scores(a=[1.0, 1.0, 1.0, 1.0], b=spread(2, 0.0), c=spread(9, 0.1))
    assert undecided(race, 0.001)[0] == ["a", "c"]


def test_a_control_counts_against_others_but_not_against_the_contestant_itself() -> None:
    race = Scores([ran("a", 1, [1.0] * 5), control("a", 1, [4.0] * 5), ran("b", 1, [8.0] * 5)])
    assert race.ratios("b", "a") == pytest.approx({1: 4.0})
    assert race.ratios("a", "b") == pytest.approx({1: 0.25})
    assert race.control_ratios("a") == pytest.approx({1: 4.0})
    assert race.names == ["a", "b"], "a control is no contestant"
    assert race.only(["a", "b"]).ratios("b", "a") == pytest.approx({1: 4.0})
    elsewhere = Scores([ran("a", 1, [1.0]), control("a", 2, [4.0]), ran("b", 1, [8.0])])
    assert elsewhere.ratios("b", "a") == pytest.approx({1: 8.0})


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=40), st.randoms())
def test_the_middle_is_that_of_the_values(values: list[float], rng: random.Random) -> None:
    shuffled = rng.sample(values, len(values))
    assert min(values) - 1e-12 <= middle(values) <= max(values) + 1e-12
    assert middle(shuffled) == middle(values)
    assert middle([-value for value in values]) == pytest.approx(-middle(values))
    assert middle([value + 3 for value in values]) == pytest.approx(middle(values) + 3)


def test_a_quarter_of_wild_values_does_not_move_the_middle() -> None:
    assert middle([1.0, 1.0, 50.0]) == 1.0
    assert middle([1.0] * 6 + [50.0, 90.0]) == 1.0


def test_one_disturbed_block_does_not_count() -> None:
    assert ran("a", 1, (1.0, 1.1, 30.0)).step_s == 1.1


def test_an_aa_control_that_differs_raises_the_bar() -> None:
    even = [make("a", r, [1.0 + 0.01 * r]) for make in (ran, control) for r in range(5)]
    calm = aa_control(Scores(even))
    assert calm is not None and (calm.dialect, calm.ratio.value, calm.margin) == ("a", 1.0, 0.0)
    odd = [*even[:5], *(control("a", r, [1.1 * (1 + 0.01 * r)]) for r in range(5))]
    uneven = aa_control(Scores(odd))
    assert uneven is not None and uneven.margin == pytest.approx(math.log(1.1))
    assert aa_control(Scores(even[:5])) is None


def test_an_aa_control_far_off_in_one_of_few_rounds_raises_the_bar() -> None:
    def race(*again: float) -> Scores:
        return Scores(
            process
            for r, step in enumerate(again)
            for process in (ran("a", r, [1.0]), control("a", r, [step]), ran("b", r, [2.5]))
        )

    for again in ([0.373], [1.0, 0.373], [1.0, 1 / 0.373, 1.0]):
        shown = aa_control(race(*again))
        assert shown is not None and shown.margin == pytest.approx(-math.log(0.373))
        scored = scores(a=[1.0] * len(again), b=[2.5] * len(again))
        assert {s.rank for s in ranking(scored)} == {1, 2}, "a factor of two without a control"
        assert {s.rank for s in ranking(scored, shown.margin)} == {1}
    calm = aa_control(race(1.9, 0.6))
    assert calm is not None and calm.margin == 0.0, "few rounds claim no such difference anyway"
