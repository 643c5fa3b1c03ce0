"""The race: groups of fresh processes until the ranking is precise enough or time is up.

A round starts everyone who takes part once, in groups that fit side by side. One contestant, the
anchor, is in every group, so that those of different groups can be compared through it. The logic
alone: it is given the function that runs a group, and the clock.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count

from tensorstone.analysis.background_load import background_load
from tensorstone.analysis.scores import Scores
from tensorstone.race import controls, group_run, messages, stop
from tensorstone.race.effort import Effort, effort
from tensorstone.race.group_run import FEWEST_TURNS, FIRST_TURNS, Group
from tensorstone.race.plan import Plan, order
from tensorstone.race.process_run import Assignment
from tensorstone.results.events import Observer, RaceProgress
from tensorstone.results.outcome import Outcome
from tensorstone.results.settings import RaceSettings
from tensorstone.results.trial import Racer, Trial

RunGroup = Callable[[Group, RaceSettings, Observer], list[Trial]]

# More could be alive at once, but the nearer two blocks are in time, the more alike is what
# disturbs them.
MOST_ALIVE = 6
# A step this short does nothing (the null dialect): no measure for those that do something.
NOTHING_S = 1e-6


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
    run_group: RunGroup = group_run.run_group,
    clock: Callable[[], float] = time.monotonic,
) -> Race:
    """Run the plan to its end. `earlier` are the trials of a run that was killed: they count."""
    return _Race(plan, observer, earlier, run_group, clock).run()


class _Race:
    def __init__(
        self,
        plan: Plan,
        observer: Observer,
        earlier: Sequence[Trial],
        run_group: RunGroup,
        clock: Callable[[], float],
    ) -> None:
        self._settings, self._observer = plan.settings, observer
        self._contestants = {contestant.dialect: contestant for contestant in plan.contestants}
        self._trials = list(earlier)
        self._run_group, self._clock = run_group, clock
        # What was spent before the kill is spent.
        self._start = clock() - sum(done.wall_s for done in earlier)

    def run(self) -> Race:
        taking_part = tuple(self._contestants)
        for number in count(1):
            while waiting := self._waiting(taking_part, number):
                self._group(waiting, number)
            running = [name for name in self._contestants if not self._is_out(name)]
            if not running:
                return self._end(number, messages.ALL_FAILED)
            # The run that was killed may have decided to go on already: by what it knew then.
            decision = stop.decide(
                rounds=number,
                elapsed_s=self._spent_s(number),
                running=running,
                round_s=partial(self._round_s, number),
                anchor=self._anchor(number + 1),
                scores=Scores(t for t in self._trials if t.round <= number),
                settings=self._settings,
            )
            if not decision.again:
                return self._end(number, decision.why)
            if number < stop.FEWEST_ROUNDS:
                self._say_who_is_left_out(len(running) - len(decision.again))
                self._warn_of_overrun(number, decision.again)
            if number == self._settings.min_rounds:
                self._look_ahead(number)
            taking_part = decision.again
        raise AssertionError("count() does not end")

    def _group(self, waiting: list[str], number: int) -> None:
        group = 1 + max((t.group for t in self._trials if t.round == number), default=-1)
        fixed = self._fixed(number)
        others = [racer for name in waiting if (racer := Racer(name)) not in fixed]
        racers = [*fixed, *others[: max(1, MOST_ALIVE - len(fixed))]]
        wanted = Group(
            members=tuple(
                (
                    controls.contestant(racer, self._contestants),
                    self._assignment(racer, number, place, group),
                )
                for place, racer in enumerate(racers)
            ),
            indispensable=len(fixed),
            turns=self._settings.turns or self._turns_worth(number),
            at_most_s=self._share_s(number, len(racers) / len({*fixed, *map(Racer, waiting)})),
        )
        made = self._run_group(wanted, self._settings, self._observer)
        for trial in made:
            self._trials.append(trial)
            self._observer.trial_ended(trial, self._progress(number - 1))
        if number == 1 and group == 0:
            self._warn_of_others()

    def _share_s(self, number: int, part: float) -> float:
        """How long this part of a round may take if enough rounds are to fit into the budget. Where
        deployment is measured too, it takes about as long as training."""
        left_s = max(0.0, self._settings.budget_s - self._elapsed_s())
        share_s = part * left_s / max(1, self._settings.min_rounds - number + 1)
        return share_s / 2 if any(map(self._wants_deployment, self._contestants)) else share_s

    def _warn_of_others(self) -> None:
        """Early, so that the user can stop them."""
        found = background_load(self._trials)
        processors = os.cpu_count() or 1
        if found.stays(processors):
            self._observer.note(messages.background_load(found.busy or 0.0, processors))

    def _say_who_is_left_out(self, count: int) -> None:
        if count:
            self._observer.note(messages.left_out(count, stop.FAR_BEHIND))

    def _warn_of_overrun(self, number: int, again: Sequence[str]) -> None:
        """Some rounds are run whatever the budget: say how long they will take."""
        budget_s = self._settings.budget_s
        beyond_s = self._spent_s(number) + self._round_s(number, again) - budget_s
        if beyond_s > 0:
            self._observer.note(messages.budget_overrun(stop.FEWEST_ROUNDS, beyond_s, budget_s))

    def _look_ahead(self, number: int) -> None:
        """Say early if the budget is too short for the precision."""
        settings, found = self._settings, self._effort(number)
        if found is None or settings.precision <= 0:
            return
        needed_s = found.seconds_needed(settings.precision)
        if needed_s > settings.budget_s:
            self._observer.note(
                messages.precision_too_fine(settings.precision, needed_s, settings.budget_s)
            )

    def _turns_worth(self, number: int) -> int | None:
        """How many turns a group should have by what was seen: restarts vary, turns vary more,
        and restarts cost more. Unknown before two rounds showed it, and little known by then: so
        never more than twice as many as before, nor than there is time for."""
        effort = self._effort(number - 1)
        if effort is None:
            return None
        before = [len(t.blocks) for t in self._trials if t.round == number - 1 and t.blocks]
        affordable = effort.affordable_turns(self._settings.budget_s - self._elapsed_s())
        best = effort.best_turns(self._settings.precision, self._settings.budget_s)
        wanted = min(best, 2 * max(before, default=FIRST_TURNS), affordable)
        return max(wanted, FEWEST_TURNS)

    def _effort(self, rounds: int) -> Effort | None:
        earlier = [t for t in self._trials if t.round <= rounds]
        anchor = self._anchor(rounds + 1)
        if anchor is None or rounds < stop.FEWEST_ROUNDS:
            return None
        running = [name for name in self._contestants if not self._is_out(name)]
        others = [name for name in running if name != anchor]
        return effort(Scores(earlier), earlier, anchor, others)

    def _fixed(self, number: int) -> list[Racer]:
        """Who is in a group whoever else is: the anchor, and once a round its controls, from when
        it is known for good."""
        anchor = self._anchor(number)
        if anchor is None or number == 1:
            return [Racer(anchor)] if anchor else []
        started = {t.racer for t in self._trials if t.round == number}
        twins = controls.controls(self._contestants[anchor])
        return [Racer(anchor), *(racer for racer in twins if racer not in started)]

    def _anchor(self, number: int) -> str | None:
        """The fastest of the first round: it is the cheapest to have often. In that round itself,
        the fastest of its first group."""
        first = Scores(t for t in self._trials if t.round == 1 and (number > 1 or t.group == 0))
        steps = {
            name: first.steps(name)[1]
            for name in first.names
            if name in self._contestants and not self._is_out(name)
        }
        steps = {name: step_s for name, step_s in steps.items() if step_s > NOTHING_S}
        return min(steps, key=lambda name: steps[name]) if steps else None

    def _assignment(self, racer: Racer, number: int, place: int, group: int) -> Assignment:
        alike = self._contestants_trials(racer.dialect)
        return Assignment(
            number,
            place,
            stop.trial_timeout(self._settings, [t.wall_s for t in alike if t.outcome.ok]),
            steps=next((t.blocks[0].steps for t in alike if t.blocks), None),
            deploy=racer.role == "contestant" and self._wants_deployment(racer.dialect),
            group=group,
        )

    def _contestants_trials(self, name: str) -> list[Trial]:
        return [t for t in self._trials if t.racer == Racer(name)]

    def _waiting(self, names: Sequence[str], number: int) -> list[str]:
        """Who has not run in this round yet, in the round's order."""
        done = {t.dialect for t in self._trials if t.round == number and t.role == "contestant"}
        return [
            name
            for name in order(list(names), number, self._settings.seed)
            if name not in done and not self._is_out(name)
        ]

    def _spent_s(self, number: int) -> float:
        """How much time was gone when this many rounds were complete, which they are."""
        if any(t.round > number for t in self._trials):
            return sum(t.wall_s for t in self._trials if t.round <= number)
        return self._elapsed_s()

    def _is_out(self, name: str) -> bool:
        return stop.is_out(self._outcomes(name))

    def _outcomes(self, name: str) -> list[Outcome]:
        return [t.outcome for t in self._contestants_trials(name)]

    def _elapsed_s(self) -> float:
        return self._clock() - self._start

    def _round_s(self, number: int, names: Iterable[str]) -> float:
        """What a round of these after so many will take: everyone's latest trial again, the
        anchor's and its controls' too."""
        anchor = self._anchor(2)
        racers = set(map(Racer, names))
        if anchor:
            twins = controls.controls(self._contestants[anchor])
            racers |= {Racer(anchor), *twins}
        turns = self._settings.turns or self._turns_worth(number + 1)
        known = [t for t in self._trials if t.round <= number]
        return sum(self._trial_s(racer, known, turns) for racer in racers)

    def _trial_s(self, racer: Racer, known: Sequence[Trial], turns: int | None) -> float:
        """What its next trial will take: the latest again, with as many turns as there will be, and
        its deployment only if that is measured once more."""
        mine = [t for t in known if t.racer == racer]
        latest = (mine or [t for t in known if t.racer == Racer(racer.dialect)])[-1]
        wanted = racer.role == "contestant" and self._wants_deployment(racer.dialect)
        spent_s = latest.wall_s if wanted else latest.training_s
        if not turns or not latest.blocks:
            return spent_s
        return spent_s + (turns - len(latest.blocks)) * latest.turn_s

    def _wants_deployment(self, name: str) -> bool:
        made = [t.deployment for t in self._contestants_trials(name) if t.deployment]
        return stop.wants_deployment(self._settings, made)

    def _progress(self, rounds: int) -> RaceProgress:
        elapsed_s = self._elapsed_s()
        left = self._settings.budget_s - elapsed_s
        if rounds < stop.FEWEST_ROUNDS:  # these are run whatever the budget
            latest = {t.racer: t.wall_s for t in self._trials}
            this_round = sum(t.wall_s for t in self._trials if t.round == self._trials[-1].round)
            needed = sum(latest.values()) * (stop.FEWEST_ROUNDS - rounds) - this_round
            left = max(left, needed)
        return RaceProgress(rounds, elapsed_s, max(0.0, left))

    def _end(self, rounds: int, why: str) -> Race:
        self._observer.note(why)
        return Race(tuple(self._trials), rounds, why)
