"""When a race has told enough, and how long one trial may take. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tensorstone.analysis.ranking import undecided
from tensorstone.analysis.scores import Scores
from tensorstone.race import messages
from tensorstone.results.outcome import Outcome
from tensorstone.results.settings import RaceSettings
from tensorstone.results.trial import Deployment

FEWEST_ROUNDS = 2
# Who is so many times slower than the fastest is known well enough from one round, where there is
# no time for two.
FAR_BEHIND = 10.0
# A first trial gets half the budget within these bounds: a cold import may take a minute on a busy
# machine, compiling several; hanging takes for ever.
FIRST_TIMEOUT_S = (120.0, 600.0)
# Later ones are known: this many times what they took, and this long at least.
LATER_FACTOR, LATER_S = 10.0, 240.0


@dataclass(frozen=True)
class Decision:
    """Who runs again; nobody: it is over, and why."""

    again: tuple[str, ...] = ()
    why: str = ""


def decide(
    rounds: int,
    elapsed_s: float,
    running: Sequence[str],
    round_s: Callable[[Iterable[str]], float],
    anchor: str | None,
    scores: Scores,
    settings: RaceSettings,
) -> Decision:
    """Who of those still running takes part in another round after `rounds` complete ones.

    `round_s` says how long a round of some of them takes; the anchor is the fastest.
    """

    def in_time(names: Iterable[str]) -> bool:
        return elapsed_s + round_s(names) <= settings.budget_s

    everyone = Decision(tuple(running))
    if rounds < FEWEST_ROUNDS:
        if anchor is None or in_time(running):
            return everyone
        return Decision(tuple(name for name in running if not _far_behind(scores, name, anchor)))
    if rounds < settings.min_rounds:
        if in_time(running):
            return everyone
        return Decision(why=messages.too_few_rounds(settings.budget_s, rounds, round_s(running)))
    # Who is out will never have an interval: nobody waits for one.
    open_, widest = undecided(scores.only(running), settings.precision)
    if not open_:
        return Decision(why=messages.precision_reached(widest or 0.0, rounds))
    if in_time(open_):
        return Decision(tuple(open_))
    budget_s = settings.budget_s
    if widest is not None and widest <= settings.precision:
        return Decision(why=messages.ranks_open(budget_s, rounds, widest))
    return Decision(why=messages.budget_spent(budget_s, rounds, widest, settings.precision))


def _far_behind(scores: Scores, name: str, anchor: str) -> bool:
    ratios = scores.ratios(name, anchor) if name in scores.names else {}
    return bool(ratios) and min(ratios.values()) > FAR_BEHIND


def trial_timeout(settings: RaceSettings, seen_s: Sequence[float]) -> float:
    """How long the next trial of a contestant may take, given its good ones so far."""
    if settings.trial_timeout_s is not None:
        return settings.trial_timeout_s
    if seen_s:
        return max(LATER_S, LATER_FACTOR * max(seen_s))
    least, most = FIRST_TIMEOUT_S
    return min(most, max(least, settings.budget_s / 2))


def wants_deployment(settings: RaceSettings, made: Sequence[Deployment]) -> bool:
    """Whether a contestant's next trial measures its deployment too, given those so far."""
    return len(made) < settings.deployments and not is_out([found.outcome for found in made])


def is_out(outcomes: Sequence[Outcome]) -> bool:
    """Whether a contestant that had these outcomes runs no more.

    Two failures end it. One is enough where a second try would only cost: there is nothing to
    start, or it hung before it ever succeeded.
    """
    failures = [outcome for outcome in outcomes if not outcome.ok]
    if len(failures) >= 2:
        return True
    hopeless = ("not-installed", "unsupported", "timed-out")
    return len(outcomes) == 1 and bool(failures) and failures[0].status in hopeless
