"""Everyone's turns, and the ratios that are paired within them. Pure.

Two levels of variation are kept apart. Blocks vary within a sitting; the middle of the paired
ratios of its turns says what one restart showed. Restarts vary too (memory is laid out anew), so an
estimate is made of one value a round, and its interval is over rounds.

A turn in which others disturbed anybody's block counts for nobody, and a contestant's turns count
from where its process was warm, as long as enough are left.

A contestant that sat twice is compared with others by both seats: the control is not time lost.
But each seat by itself, and then the mean of the two: blocks are slowed now and then and never
hastened, so the middle of a mean of two seats lies above the middle of one, and equals with one
seat seemed faster by up to half a per cent.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

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
        self._second = {
            name: self._turns[name + AGAIN] for name in self._turns if name + AGAIN in self._turns
        }

    @property
    def names(self) -> list[str]:
        return sorted(self._turns)

    def only(self, names: Iterable[str]) -> Scores:
        """The same, of these contestants alone."""
        chosen = Scores(())
        chosen._turns = {name: self._turns[name] for name in names if name in self._turns}
        chosen._second = {n: self._second[n] for n in chosen._turns if n in self._second}
        return chosen

    def steps(self, name: str) -> dict[int, float]:
        """Seconds a step in every round."""
        found: dict[int, list[float]] = {}
        for (round, _), steps in self._turns[name].items():
            found.setdefault(round, []).append(math.log(statistics.median(steps.values())))
        return {round: math.exp(statistics.fmean(logs)) for round, logs in found.items()}

    def turns(self, slower: str, faster: str) -> dict[Place, list[float]]:
        """log(slower / faster) in every turn they shared, the mean of their seats."""
        found: dict[Place, dict[int, list[float]]] = {}
        for place, logs in self._by_seats(slower, faster):
            for turn, log in logs.items():
                found.setdefault(place, {}).setdefault(turn, []).append(log)
        return {
            place: [statistics.fmean(turns[turn]) for turn in sorted(turns)]
            for place, turns in sorted(found.items())
        }

    def ratios(self, slower: str, faster: str) -> dict[int, float]:
        """slower / faster in every round that had both: of turns they shared, or else through
        whoever shared turns with each of them."""
        found: dict[int, list[float]] = {}
        for (round, _), logs in self._by_seats(slower, faster):
            found.setdefault(round, []).append(middle(list(logs.values())))
        for round in self._rounds(slower) & self._rounds(faster) - found.keys():
            if through := self._through(slower, faster, round):
                found[round] = through
        return {round: math.exp(statistics.fmean(logs)) for round, logs in sorted(found.items())}

    def _through(self, slower: str, faster: str, round: int) -> list[float]:
        """By way of every third contestant that met both in this round."""
        found = []
        for third in self._turns.keys() - {slower, faster}:
            over, under = self._middles(slower, third, round), self._middles(faster, third, round)
            if over and under:
                found.append(statistics.fmean(over) - statistics.fmean(under))
        return found

    def _middles(self, slower: str, faster: str, round: int) -> list[float]:
        return [
            middle(list(logs.values()))
            for (number, _), logs in self._by_seats(slower, faster)
            if number == round
        ]

    def _by_seats(self, slower: str, faster: str) -> Iterator[tuple[Place, dict[int, float]]]:
        """log(slower / faster) by turn, for every seat of one and every seat of the other that sat
        together."""
        for one, other in product(self._seats(slower, faster), self._seats(faster, slower)):
            for place in sorted(one.keys() & other.keys()):
                over, under = one[place], other[place]
                if shared := sorted(over.keys() & under.keys()):
                    yield place, {turn: math.log(over[turn] / under[turn]) for turn in shared}

    def _seats(self, name: str, other: str) -> list[Mapping[Place, Mapping[int, float]]]:
        """A contestant's turns in each of its seats; in the first alone against itself."""
        second = self._second.get(name) if other not in (name, name + AGAIN) else None
        return [self._turns[name], second] if second else [self._turns[name]]

    def _rounds(self, name: str) -> set[int]:
        return {round for round, _ in self._turns[name]}


def middle(values: Sequence[float]) -> float:
    """The mean of the middle half: hardly moved by a few wild values, like the median, which needs
    a tenth to three tenths more turns for the same error."""
    cut = (len(values) + 1) // 4
    return statistics.fmean(sorted(values)[cut : len(values) - cut])


def warm(step_s: Sequence[float]) -> int:
    """The turn from which a process was warm: where its last level begins, if that is its
    fastest."""
    went = course(step_s)
    return went.steady_from if went.kind == "warm-up" else 0
