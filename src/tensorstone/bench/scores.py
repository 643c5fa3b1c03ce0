"""Everyone's turns, and the ratios that are paired within them. Pure.

Two levels of variation are kept apart. Blocks vary within a sitting; the middle of the paired
ratios of its turns says what one restart showed. Restarts vary too (memory is laid out anew), so an
estimate is made of one value a round, and its interval is over rounds.

A turn in which others disturbed anybody's block counts for nobody, and a contestant's turns count
from where its process was warm, as long as enough are left.

A contestant that sat twice is compared with others by both seats: the control is not time lost.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence

from tensorstone.bench.controls import AGAIN
from tensorstone.bench.results import Trial
from tensorstone.bench.steadiness import course

Place = tuple[int, int]  # round and group
FEWEST_TRUSTED = 3


class Scores:
    """The good trials of a race, by contestant."""

    def __init__(self, trials: Iterable[Trial]) -> None:
        self._turns: dict[str, dict[Place, dict[int, float]]] = {}
        good = [trial for trial in trials if trial.outcome.ok and trial.blocks]
        disturbed = {
            (trial.round, trial.group, turn)
            for trial in good
            for turn, block in enumerate(trial.blocks)
            if block.disturbed
        }
        for trial in good:
            place = trial.round, trial.group
            steps = {t: max(block.step_s, 1e-12) for t, block in enumerate(trial.blocks)}
            warm_from = warm(list(steps.values()))
            trusted = {
                turn: step
                for turn, step in steps.items()
                if turn >= warm_from and (*place, turn) not in disturbed
            }
            # Where nearly none is left, all count: what it was like is in the interval.
            enough = len(trusted) >= min(FEWEST_TRUSTED, len(steps))
            self._turns.setdefault(trial.dialect, {})[place] = trusted if enough else steps
        self._both = {
            name: _both(turns, self._turns[name + AGAIN])
            for name, turns in self._turns.items()
            if name + AGAIN in self._turns
        }

    @property
    def names(self) -> list[str]:
        return sorted(self._turns)

    def only(self, names: Iterable[str]) -> Scores:
        """The same, of these contestants alone."""
        chosen = Scores(())
        chosen._turns = {name: self._turns[name] for name in names if name in self._turns}
        chosen._both = {name: self._both[name] for name in chosen._turns if name in self._both}
        return chosen

    def steps(self, name: str) -> dict[int, float]:
        """Seconds a step in every round."""
        found: dict[int, list[float]] = {}
        for (round, _), steps in self._turns[name].items():
            found.setdefault(round, []).append(math.log(statistics.median(steps.values())))
        return {round: math.exp(statistics.fmean(logs)) for round, logs in found.items()}

    def turns(self, slower: str, faster: str) -> dict[Place, list[float]]:
        """log(slower / faster) in every turn they shared."""
        one, other = self._against(faster, slower), self._against(slower, faster)
        return {
            place: [math.log(one[place][turn] / other[place][turn]) for turn in shared]
            for place in sorted(one.keys() & other.keys())
            if (shared := sorted(one[place].keys() & other[place].keys()))
        }

    def ratios(self, slower: str, faster: str) -> dict[int, float]:
        """slower / faster in every round that had both: of turns they shared, or else through
        whoever shared turns with each of them."""
        found: dict[int, list[float]] = {}
        for (round, _), logs in self.turns(slower, faster).items():
            found.setdefault(round, []).append(middle(logs))
        for round in self._rounds(slower) & self._rounds(faster) - found.keys():
            if through := self._through(slower, faster, round):
                found[round] = through
        return {round: math.exp(statistics.fmean(logs)) for round, logs in sorted(found.items())}

    def _through(self, slower: str, faster: str, round: int) -> list[float]:
        """By way of every third contestant that met both in this round."""
        found = []
        for third in self._turns.keys() - {slower, faster}:
            over = _in_round(self.turns(slower, third), round)
            under = _in_round(self.turns(faster, third), round)
            if over and under:
                found.append(statistics.fmean(over) - statistics.fmean(under))
        return found

    def _against(self, other: str, name: str) -> Mapping[Place, Mapping[int, float]]:
        """A contestant's turns in both of its seats, except against its own second one."""
        if other == name + AGAIN:
            return self._turns[name]
        return self._both.get(name, self._turns[name])

    def _rounds(self, name: str) -> set[int]:
        return {round for round, _ in self._turns[name]}


def _in_round(turns: Mapping[Place, list[float]], round: int) -> list[float]:
    return [middle(logs) for (number, _), logs in turns.items() if number == round]


def middle(values: Sequence[float]) -> float:
    """The mean of the middle half: hardly moved by a few wild values, like the median, which needs
    a tenth to three tenths more turns for the same error."""
    cut = (len(values) + 1) // 4
    return statistics.fmean(sorted(values)[cut : len(values) - cut])


def _both(
    seat: Mapping[Place, Mapping[int, float]], second: Mapping[Place, Mapping[int, float]]
) -> dict[Place, dict[int, float]]:
    """The geometric mean of two seats where both had the turn."""
    return {
        place: {
            turn: math.sqrt(step_s * second.get(place, {}).get(turn, step_s))
            for turn, step_s in steps.items()
        }
        for place, steps in seat.items()
    }


def warm(step_s: Sequence[float]) -> int:
    """The turn from which a process was warm: where its last level begins, if that is its
    fastest."""
    went = course(step_s)
    return went.steady_from if went.kind == "warm-up" else 0
