"""From scores to a ranking: paired ratios, ties, who is still undecided. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

from tensorstone.analysis.bootstrap import CLAIM, CONFIDENCE, geometric
from tensorstone.analysis.scores import Scores
from tensorstone.results.estimate import Estimate

# A contestant whose order is known at this certainty runs in no further round. It is stricter than
# a claim needs, because repeated looks find a chance difference more often than one look.
ORDER_CERTAINTY = 0.999
# Two contestants that may differ by more than this many times the precision, at this certainty, are
# not left tied while there is time.
NOTABLE, NOTABLE_CERTAINTY = 2.0, 0.99
# A program's processes may come in two kinds (page faults or none). Of two equals with three
# processes each, all of one may be of one kind and all of the other's of the other, once in 32
# times: no interval shows that. So fewer rounds than this tell nothing apart but a factor of two.
FEWEST_TO_CLAIM, LOG_FACTOR_TWO = 4, math.log(2)


def paired_ratio(
    scores: Scores, slower: str, faster: str, confidence: float = CONFIDENCE
) -> Estimate | None:
    """slower / faster over the rounds they share; None if they share none."""
    ratios = scores.ratios(slower, faster)
    return geometric(list(ratios.values()), confidence) if ratios else None


def differs(
    scores: Scores, slower: str, faster: str, margin: float = 0.0, confidence: float = CLAIM
) -> bool:
    """Whether the interval of their ratio, widened by `margin` on the log scale, leaves out 1; with
    few rounds, whether all of them show a large difference."""
    return claimed(list(scores.ratios(slower, faster).values()), margin, confidence)


def claimed(ratios: list[float], margin: float, confidence: float) -> bool:
    if not ratios:
        return False
    if len(ratios) < FEWEST_TO_CLAIM:
        logs, rough = [math.log(value) for value in ratios], max(margin, LOG_FACTOR_TWO)
        return min(logs) > rough or max(logs) < -rough
    ratio = geometric(ratios, confidence)
    assert ratio.low and ratio.high
    return math.log(ratio.low) > margin or math.log(ratio.high) < -margin


@dataclass(frozen=True)
class Standing:
    """One contestant's place. `ratio` is to the fastest, whose own is 1."""

    name: str
    rank: int
    step: Estimate
    ratio: Estimate | None


def ranking(scores: Scores, margin: float = 0.0) -> list[Standing]:
    """Fastest first, ties sharing a rank.

    "Tied" is not transitive (A~B and B~C, yet A<C), so a group is defined by its leader: its
    fastest member. Going down the list, whoever is tied with the leader shares its rank; the first
    who is not leads the next group, with its own place as rank (1, 1, 3, ...).
    """
    names = _fastest_first(scores)
    standings: list[Standing] = []
    leader, rank = "", 0
    for place, name in enumerate(names, start=1):
        if not leader or differs(scores, name, leader, margin):
            leader, rank = name, place
        step = geometric(list(scores.steps(name).values()))
        standings.append(Standing(name, rank, step, paired_ratio(scores, name, names[0])))
    return standings


def undecided(scores: Scores, precision: float) -> tuple[list[str], float | None]:
    """Whose turns are still worth their time, and the widest half-width of what is to be known:
    everyone's ratio to the fastest (a lone contestant's own step time), None while one has none.

    First those whose order among neighbours is not sure, and who are not known within `precision`
    or may differ by twice as much; when there are none, whoever is not known within it, and the
    fastest, since without it there is no ratio to know.
    """
    standings = ranking(scores)
    widths = {s.name: _width(s.ratio) for s in standings[1:]}
    if len(standings) == 1:
        widths = {standings[0].name: standings[0].step.half_width}
    vague = [name for name, width in widths.items() if width is None or width > precision]
    names = [standing.name for standing in standings]
    contested = {
        name
        for faster, slower in pairwise(names)
        if {faster, slower} & set(vague) or _may_differ(scores, slower, faster, precision)
        if not differs(scores, slower, faster, confidence=ORDER_CERTAINTY)
        for name in (faster, slower)
    }
    known = [width for width in widths.values() if width is not None]
    widest = max(known) if known and len(known) == len(widths) else None
    wanted = contested or ({names[0], *vague} if vague else set())
    return [name for name in names if name in wanted], widest


def _width(ratio: Estimate | None) -> float | None:
    """None below FEWEST_TO_CLAIM rounds: so few may agree by chance."""
    return ratio.half_width if ratio and ratio.n >= FEWEST_TO_CLAIM else None


def _may_differ(scores: Scores, slower: str, faster: str, precision: float) -> bool:
    """Whether their interval reaches a difference that should be found."""
    ratio = paired_ratio(scores, slower, faster, NOTABLE_CERTAINTY)
    if not ratio or not ratio.low or not ratio.high:
        return True
    return max(math.log(ratio.high), -math.log(ratio.low)) > NOTABLE * precision


def _fastest_first(scores: Scores) -> list[str]:
    """Names by their ratio to the fastest, which pairs better than two step times do.

    The fastest is found by iteration: sort by the ratio to the contestant with most rounds, then by
    the ratio to the new first, until it stays first. Noise may make A faster than B where both are
    compared with C, and slower where they are compared with each other.
    """
    names = scores.names
    steps = {name: scores.steps(name) for name in names}

    def slowness(name: str, measure: str) -> float:
        ratio = paired_ratio(scores, name, measure)
        if ratio is None:  # they never met
            return (
                geometric(list(steps[name].values())).value
                / geometric(list(steps[measure].values())).value
            )
        return ratio.value

    measure = max(names, key=lambda name: len(steps[name]), default="")
    for _ in scores.names:  # as often as there could be another: they might go round in a circle
        names = sorted(scores.names, key=lambda name: (slowness(name, measure), name))
        if names[0] == measure:
            break
        measure = names[0]
    return names
