"""The race: sittings of fresh processes until the ranking is precise enough or time is up.

A round seats everyone who takes part once, in groups that fit side by side. One contestant, the
anchor, sits in every group, so that those of different groups can be compared through it. The
logic alone: it is given the function that runs a sitting, and the clock.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count

from tensorstone.analysis.background_load import others
from tensorstone.analysis.scores import Scores
from tensorstone.race import controls, stop
from tensorstone.race import group_run as sittings
from tensorstone.race.effort import Outlook, outlook
from tensorstone.race.group_run import FEWEST_TURNS, FIRST_TURNS, Sitting
from tensorstone.race.plan import Plan, Settings, order
from tensorstone.race.process_run import Slot
from tensorstone.race.stop import duration
from tensorstone.results.events import Observer, Progress
from tensorstone.results.outcome import Outcome
from tensorstone.results.trial import Trial

RunSitting = Callable[[Sitting, Settings, Observer], list[Trial]]

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
    run_sitting: RunSitting = sittings.sit,
    clock: Callable[[], float] = time.monotonic,
) -> Race:
    """Run the plan to its end. `earlier` are the trials of a run that was killed: they count."""
    return _Race(plan, observer, earlier, run_sitting, clock).run()


class _Race:
    def __init__(
        self,
        plan: Plan,
        observer: Observer,
        earlier: Sequence[Trial],
        run_sitting: RunSitting,
        clock: Callable[[], float],
    ) -> None:
        self._settings, self._observer = plan.settings, observer
        self._contestants = {contestant.dialect: contestant for contestant in plan.contestants}
        self._trials = list(earlier)
        self._run_sitting, self._clock = run_sitting, clock
        # What was spent before the kill is spent.
        self._start = clock() - sum(done.wall_s for done in earlier)

    def run(self) -> Race:
        taking_part = tuple(self._contestants)
        for number in count(1):
            while waiting := self._waiting(taking_part, number):
                self._sit(waiting, number)
            running = [name for name in self._contestants if not self._is_out(name)]
            if not running:
                return self._end(number, "no contestant is left")
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
                self._say_who_sits_out(len(running) - len(decision.again))
                self._warn_of_overrun(number, decision.again)
            if number == self._settings.min_rounds:
                self._look_ahead(number)
            taking_part = decision.again
        raise AssertionError("count() does not end")

    def _sit(self, waiting: list[str], number: int) -> None:
        group = 1 + max((t.group for t in self._trials if t.round == number), default=-1)
        fixed = self._fixed(number)
        others = [name for name in waiting if name not in fixed]
        names = [*fixed, *others[: max(1, MOST_ALIVE - len(fixed))]]
        sitting = Sitting(
            seats=tuple(
                (controls.seated(name, self._contestants), self._slot(name, number, place, group))
                for place, name in enumerate(names)
            ),
            indispensable=len(fixed),
            turns=self._settings.turns or self._turns_worth(number),
            at_most_s=self._share_s(number, len(names) / len({*fixed, *waiting})),
        )
        made = self._run_sitting(sitting, self._settings, self._observer)
        for trial in made:
            self._trials.append(trial)
            self._observer.trial_ended(trial, self._progress(number - 1))
        if number == 1 and group == 0:
            self._warn_of_others()

    def _share_s(self, number: int, part: float) -> float:
        """How long this part of a round may take if enough rounds are to fit into the budget. Where
        life after training is measured too, it takes about as long as training."""
        left_s = max(0.0, self._settings.budget_s - self._elapsed_s())
        share_s = part * left_s / max(1, self._settings.min_rounds - number + 1)
        return share_s / 2 if any(map(self._wants_life, self._contestants)) else share_s

    def _warn_of_others(self) -> None:
        """Early, since it is for the user to stop them."""
        found = others(self._trials)
        processors = os.cpu_count() or 1
        if found.stay(processors):
            self._observer.note(
                f"others keep {found.busy:.1f} of {processors} processors busy; "
                "stone doctor says who"
            )

    def _say_who_sits_out(self, count: int) -> None:
        if count:
            self._observer.note(
                f"there is no time for two rounds of everyone: {count} of them, more than "
                f"{stop.FAR_BEHIND:g} times slower than the fastest, are left with one"
            )

    def _warn_of_overrun(self, number: int, again: Sequence[str]) -> None:
        """Who waits for rounds that are run whatever the budget should know for how long."""
        budget_s = self._settings.budget_s
        beyond_s = self._spent_s(number) + self._round_s(number, again) - budget_s
        if beyond_s > 0:
            self._observer.note(
                f"{stop.FEWEST_ROUNDS} rounds are the least, and will take about "
                f"{duration(beyond_s)} more than the budget of {duration(budget_s)}"
            )

    def _look_ahead(self, number: int) -> None:
        """Say early what the budget will not do."""
        settings, found = self._settings, self._outlook(number)
        if found is None or settings.precision <= 0:
            return
        needed_s = found.seconds_needed(settings.precision)
        if needed_s > settings.budget_s:
            self._observer.note(
                f"±{settings.precision:.1%} would take about {duration(needed_s)} here, "
                f"the budget is {duration(settings.budget_s)}"
            )

    def _turns_worth(self, number: int) -> int | None:
        """How many turns a sitting should have by what was seen: restarts vary, turns vary more,
        and restarts cost more. Unknown before two rounds showed it, and little known by then: so
        never more than twice as many as before, nor than there is time for."""
        outlook = self._outlook(number - 1)
        if outlook is None:
            return None
        before = [len(t.blocks) for t in self._trials if t.round == number - 1 and t.blocks]
        affordable = outlook.affordable_turns(self._settings.budget_s - self._elapsed_s())
        best = outlook.best_turns(self._settings.precision, self._settings.budget_s)
        wanted = min(best, 2 * max(before, default=FIRST_TURNS), affordable)
        return max(wanted, FEWEST_TURNS)

    def _outlook(self, rounds: int) -> Outlook | None:
        earlier = [t for t in self._trials if t.round <= rounds]
        anchor = self._anchor(rounds + 1)
        if anchor is None or rounds < stop.FEWEST_ROUNDS:
            return None
        running = [name for name in self._contestants if not self._is_out(name)]
        return outlook(earlier, anchor, [name for name in running if name != anchor])

    def _fixed(self, number: int) -> list[str]:
        """Who sits in a group whoever else does: the anchor, and once a round its controls, from
        when it is known for good."""
        anchor = self._anchor(number)
        if anchor is None or number == 1:
            return [anchor] if anchor else []
        seated = {t.dialect for t in self._trials if t.round == number}
        twins = controls.names(anchor, self._settings.memory_kept)
        return [anchor, *(name for name in twins if name not in seated)]

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

    def _slot(self, name: str, number: int, place: int, group: int) -> Slot:
        alike = [t for t in self._trials if t.dialect == controls.original(name)]
        return Slot(
            number,
            place,
            stop.trial_timeout(self._settings, [t.wall_s for t in alike if t.outcome.ok]),
            steps=next((t.blocks[0].steps for t in alike if t.blocks), None),
            life=self._wants_life(name),
            group=group,
        )

    def _waiting(self, names: Sequence[str], number: int) -> list[str]:
        """Who has not sat in this round yet, in the round's order."""
        done = {t.dialect for t in self._trials if t.round == number}
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
        return [t.outcome for t in self._trials if t.dialect == name]

    def _elapsed_s(self) -> float:
        return self._clock() - self._start

    def _round_s(self, number: int, names: Iterable[str]) -> float:
        """What a round of these after so many will take: everyone's latest trial again, the
        anchor's and its twin's too."""
        anchor = self._anchor(2)
        seats = set(names)
        if anchor:
            seats |= {anchor, *controls.names(anchor, self._settings.memory_kept)}
        turns = self._settings.turns or self._turns_worth(number + 1)
        known = [t for t in self._trials if t.round <= number]
        return sum(self._trial_s(name, known, turns) for name in seats)

    def _trial_s(self, name: str, known: Sequence[Trial], turns: int | None) -> float:
        """What its next trial will take: the latest again, with as many turns as there will be, and
        its life after training only if that is measured once more."""
        mine = [t for t in known if t.dialect == name]
        latest = (mine or [t for t in known if t.dialect == controls.original(name)])[-1]
        spent_s = latest.wall_s if self._wants_life(name) else latest.training_s
        if not turns or not latest.blocks:
            return spent_s
        return spent_s + (turns - len(latest.blocks)) * latest.turn_s

    def _wants_life(self, name: str) -> bool:
        lives = [t.life for t in self._trials if t.dialect == name and t.life]
        return name in self._contestants and stop.wants_life(self._settings, lives)

    def _progress(self, rounds: int) -> Progress:
        elapsed_s = self._elapsed_s()
        left = self._settings.budget_s - elapsed_s
        if rounds < stop.FEWEST_ROUNDS:  # these are run whatever the budget
            latest = {t.dialect: t.wall_s for t in self._trials}
            this_round = sum(t.wall_s for t in self._trials if t.round == self._trials[-1].round)
            needed = sum(latest.values()) * (stop.FEWEST_ROUNDS - rounds) - this_round
            left = max(left, needed)
        return Progress(rounds, elapsed_s, max(0.0, left))

    def _end(self, rounds: int, why: str) -> Race:
        self._observer.note(why)
        return Race(tuple(self._trials), rounds, why)
