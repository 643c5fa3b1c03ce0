"""The race: interleaved rounds of fresh processes until it is precise enough or time is up.

The logic alone: it is given the function that runs a trial, and the clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count

from tensorstone.bench import stop, trial
from tensorstone.bench.observer import Observer, Progress
from tensorstone.bench.outcome import Outcome
from tensorstone.bench.plan import Contestant, Plan, Settings, order
from tensorstone.bench.results import Trial
from tensorstone.bench.statistics import widest_interval
from tensorstone.bench.summary import by_round
from tensorstone.bench.trial import Slot

RunTrial = Callable[[Contestant, Slot, Settings, Observer], Trial]


@dataclass(frozen=True)
class Race:
    """What a race left: every trial, and why it ended."""

    trials: tuple[Trial, ...]
    rounds: int
    why: str


def race(
    plan: Plan,
    observer: Observer,
    earlier: Sequence[Trial] = (),
    run_trial: RunTrial = trial.run,
    clock: Callable[[], float] = time.monotonic,
) -> Race:
    """Run the plan to its end. `earlier` are the trials of a run that was killed: they count."""
    settings = plan.settings
    contestants = {contestant.dialect: contestant for contestant in plan.contestants}
    trials = list(earlier)
    # What was spent before the kill is spent.
    start = clock() - sum(done.wall_s for done in earlier)
    for number in count(1):
        done = {t.dialect for t in trials if t.round == number}
        for place, dialect in enumerate(order(list(contestants), number, settings.seed)):
            mine = [t for t in trials if t.dialect == dialect]
            if dialect in done or stop.is_out([t.outcome for t in mine]):
                continue
            slot = Slot(
                number,
                place,
                stop.trial_timeout(settings, [t.wall_s for t in mine if t.outcome.ok]),
                steps=next((t.blocks[0].steps for t in mine if t.blocks), None),
                life=stop.wants_life(settings, [t.life for t in mine if t.life]),
            )
            observer.trial_started(dialect, number, place)
            trials.append(run_trial(contestants[dialect], slot, settings, observer))
            observer.trial_ended(
                trials[-1], _progress(trials, number - 1, clock() - start, settings)
            )
        if any(t.round > number for t in trials):
            continue  # the run that was killed had already decided to go on
        running = [d for d in contestants if not stop.is_out(_outcomes(trials, d))]
        if not running:
            return _end(trials, number, "no contestant is left", observer)
        decision = stop.decide(
            rounds=number,
            elapsed_s=clock() - start,
            next_round_s=_round_s(trials, running),
            # Who is out will never have an interval: nobody waits for one.
            widest=widest_interval(by_round(t for t in trials if t.dialect in running)),
            settings=settings,
        )
        if not decision.go_on:
            return _end(trials, number, decision.why, observer)
    raise AssertionError("count() does not end")


def _end(trials: list[Trial], rounds: int, why: str, observer: Observer) -> Race:
    observer.note(why)
    return Race(tuple(trials), rounds, why)


def _outcomes(trials: list[Trial], dialect: str) -> list[Outcome]:
    return [t.outcome for t in trials if t.dialect == dialect]


def _round_s(trials: list[Trial], running: list[str]) -> float:
    """What another round will take: everyone's latest trial again."""
    latest = {t.dialect: t.wall_s for t in trials}
    return sum(latest[dialect] for dialect in running)


def _progress(trials: list[Trial], rounds: int, elapsed_s: float, settings: Settings) -> Progress:
    left = settings.budget_s - elapsed_s
    if rounds < stop.FEWEST_ROUNDS:  # these are run whatever the budget
        latest = {t.dialect: t.wall_s for t in trials}
        this_round = sum(t.wall_s for t in trials if t.round == trials[-1].round)
        needed = sum(latest.values()) * (stop.FEWEST_ROUNDS - rounds) - this_round
        left = max(left, needed)
    return Progress(rounds, elapsed_s, max(0.0, left))
