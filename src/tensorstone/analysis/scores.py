"""Everyone's turns, and the ratios that are paired within them. Pure.

Two levels of variation are kept apart. Blocks vary within a group; the middle of the paired ratios
of its turns says what one restart showed. Restarts vary too (memory is laid out anew), so an
estimate is made of one value a round, and its interval is over rounds.

A turn in which others disturbed anybody's block counts for nobody, and a contestant's turns count
from where its process was warm, as long as enough are left.

A contestant with an A/A control is compared with others by both processes: the control is not time
lost. But each process by itself, and then the mean of the two: blocks are slowed now and then and
never hastened, so the middle of a mean of two processes lies above the middle of one, and equals
with one process seemed faster by up to half a per cent.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product

from tensorstone.analysis.steady_state import course
from tensorstone.results.trial import Racer, Role, Trial

Place = tuple[int, int]  # round and group
Turns = dict[Place, dict[int, float]]  # seconds a step by place and turn
FEWEST_TRUSTED = 3
AA: Role = "aa-control"


class Scores:
    """The good trials of a race, by dialect and role. Wherever a name is asked for it is the
    contestant's; `control` is the same dialect's process in another role."""

    def __init__(self, trials: Iterable[Trial]) -> None:
        self._turns: dict[Racer, Turns] = {}
        self._ratios: dict[tuple[Racer, Racer], dict[int, float]] = {}
        self._met: dict[tuple[Racer, Racer], dict[int, list[float]]] = {}
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
            warm_from = warm(tuple(steps.values()))
            trusted = {
                turn: step
                for turn, step in steps.items()
                if turn >= warm_from and (*place, turn) not in disturbed
            }
            # Where nearly none is left, all count: what it was like is in the interval.
            enough = len(trusted) >= min(FEWEST_TRUSTED, len(steps))
            self._turns.setdefault(trial.racer, {})[place] = trusted if enough else steps
        self._second = {
            racer.dialect: turns for racer, turns in self._turns.items() if racer.role == AA
        }

    @property
    def names(self) -> list[str]:
        """The contestants."""
        return sorted(name for name, role in self._turns if role == "contestant")

    def controlled(self, role: Role) -> list[str]:
        """The contestants that ran in this role too."""
        return [name for name in self.names if Racer(name, role) in self._turns]

    def only(self, names: Iterable[str]) -> Scores:
        """The same, of these contestants alone, with what their A/A controls add."""
        chosen, racers = Scores(()), map(Racer, names)
        chosen._turns = {racer: self._turns[racer] for racer in racers if racer in self._turns}
        there = [racer.dialect for racer in chosen._turns]
        chosen._second = {name: self._second[name] for name in there if name in self._second}
        return chosen

    def steps(self, name: str) -> dict[int, float]:
        """Seconds a step in every round."""
        found: dict[int, list[float]] = {}
        for (round, _), steps in self._turns[Racer(name)].items():
            found.setdefault(round, []).append(math.log(statistics.median(steps.values())))
        return {round: math.exp(statistics.fmean(logs)) for round, logs in found.items()}

    def turns(self, slower: str, faster: str) -> dict[Place, list[float]]:
        """log(slower / faster) in every turn they shared, the mean of their processes."""
        return self._turn_logs(Racer(slower), Racer(faster))

    def control_turns(self, name: str, role: Role = AA) -> dict[Place, list[float]]:
        """The same of a control and the contestant itself."""
        return self._turn_logs(Racer(name, role), Racer(name))

    def ratios(self, slower: str, faster: str) -> dict[int, float]:
        """slower / faster in every round that had both: of turns they shared, or else through
        whoever shared turns with each of them."""
        return self._ratios_of(Racer(slower), Racer(faster))

    def control_ratios(self, name: str, role: Role = AA) -> dict[int, float]:
        """control / contestant in every round that had both."""
        return self._ratios_of(Racer(name, role), Racer(name))

    def _turn_logs(self, slower: Racer, faster: Racer) -> dict[Place, list[float]]:
        found: dict[Place, dict[int, list[float]]] = {}
        for place, logs in self._by_process(slower, faster):
            for turn, log in logs.items():
                found.setdefault(place, {}).setdefault(turn, []).append(log)
        return {
            place: [statistics.fmean(turns[turn]) for turn in sorted(turns)]
            for place, turns in sorted(found.items())
        }

    def _ratios_of(self, slower: Racer, faster: Racer) -> dict[int, float]:
        if (slower, faster) not in self._ratios:
            self._ratios[slower, faster] = self._computed(slower, faster)
        return self._ratios[slower, faster]

    def _computed(self, slower: Racer, faster: Racer) -> dict[int, float]:
        found = dict(self._middles(slower, faster))
        for round in self._rounds(slower) & self._rounds(faster) - found.keys():
            if through := self._through(slower, faster, round):
                found[round] = through
        return {round: math.exp(statistics.fmean(logs)) for round, logs in sorted(found.items())}

    def _through(self, slower: Racer, faster: Racer, round: int) -> list[float]:
        """By way of every third one that met both in this round."""
        found = []
        for third in self._turns.keys() - {slower, faster}:
            over = self._middles(slower, third).get(round)
            under = self._middles(faster, third).get(round)
            if over and under:
                found.append(statistics.fmean(over) - statistics.fmean(under))
        return found

    def _middles(self, slower: Racer, faster: Racer) -> dict[int, list[float]]:
        """What each of their processes that took turns showed, by round."""
        if (slower, faster) not in self._met:
            found: dict[int, list[float]] = {}
            for (round, _), logs in self._by_process(slower, faster):
                found.setdefault(round, []).append(middle(list(logs.values())))
            self._met[slower, faster] = found
        return self._met[slower, faster]

    def _by_process(self, slower: Racer, faster: Racer) -> Iterator[tuple[Place, dict[int, float]]]:
        """log(slower / faster) by turn, for every process of one and every process of the other
        that took turns."""
        for one, other in product(self._processes(slower, faster), self._processes(faster, slower)):
            for place in sorted(one.keys() & other.keys()):
                over, under = one[place], other[place]
                if shared := sorted(over.keys() & under.keys()):
                    yield place, {turn: math.log(over[turn] / under[turn]) for turn in shared}

    def _processes(self, racer: Racer, other: Racer) -> list[Mapping[Place, Mapping[int, float]]]:
        """A contestant's turns, and its A/A control's; its own alone against that control."""
        own = self._turns[racer]
        apart = racer.role != "contestant" or other in (racer, Racer(racer.dialect, AA))
        second = None if apart else self._second.get(racer.dialect)
        return [own, second] if second else [own]

    def _rounds(self, racer: Racer) -> set[int]:
        return {round for round, _ in self._turns[racer]}


def middle(values: Sequence[float]) -> float:
    """The mean of the middle half: hardly moved by a few wild values, like the median, which needs
    a tenth to three tenths more turns for the same error."""
    cut = (len(values) + 1) // 4
    return statistics.fmean(sorted(values)[cut : len(values) - cut])


@lru_cache(maxsize=4096)
def warm(step_s: tuple[float, ...]) -> int:
    """The turn from which a process was warm: where its last level begins, if that is its
    fastest."""
    went = course(step_s)
    return went.steady_from if went.kind == "warm-up" else 0
