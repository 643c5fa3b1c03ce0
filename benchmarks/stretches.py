"""What the usual way would say, hundreds of times over, from one long run of one program.

pyperf and hyperfine time one arm to its end and then the other. A long run of a single program, cut
into two neighbouring stretches, is such a comparison of equals; with the times of the second
stretch made longer, one of a true difference. So it shows what more time is worth to them: how far
equals are apart, the drift of the machine between two arms included, and what their own tests say.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from statistics import NormalDist, fmean

Values = Sequence[float]
Test = Callable[[Values, Values], bool]  # whether a tool calls two arms different

FEWEST_PAIRS = 4  # comparisons that share no process: fewer say nothing about how they vary
MOST_COMPARED = 200
FALSE, FOUND = 0.01, 0.95
HEADS = ("s", "pairs", "equals apart", "called different")
CELL = "{:>18}"


@dataclass(frozen=True)
class Compared:
    """Two arms of so many processes each, as often as the long run allows."""

    seconds: float
    pairs: int  # that share no process
    apart: float  # standard deviation of the log ratio of two equal arms
    called_different: float  # share of equals
    found: dict[float, float]  # share of true differences said to be slower, by their size


@dataclass(frozen=True)
class LongRun:
    tool: str
    name: str
    processes: Sequence[Values]  # what each of them measured, in the order they ran
    seconds: float
    test: Test

    def comparisons(self, shares: Sequence[float]) -> Iterator[Compared]:
        runs = 2
        while len(self.processes) >= FEWEST_PAIRS * 2 * runs:
            yield self._compared(runs, shares)
            runs *= 2

    def needed(self, share: float) -> str:
        """The seconds from which on such a difference would be found 95 times in 100 if equals were
        to be called different once in 100: equals must be so little apart by then. Where no stretch
        was long enough, computed from the longest, as if equals came closer with the root of time.
        """
        quantiles = NormalDist().inv_cdf(1 - FALSE / 2) + NormalDist().inv_cdf(FOUND)
        wanted = math.log1p(share) / quantiles
        close = list(takewhile(lambda row: row.apart <= wanted, reversed(self._equals)))
        if close:
            return f"{close[-1].seconds:.0f}"
        if not self._equals:
            return "unknown"
        longest = self._equals[-1]
        return f"~{longest.seconds * (longest.apart / wanted) ** 2:.0f}"

    def table(self, shares: Sequence[float]) -> list[str]:
        found = [f"{share:.0%} found" for share in shares]
        lines = ["".join(CELL.format(head) for head in (*HEADS, *found))]
        for row in self.comparisons(shares):
            cells = (
                f"{row.seconds:.0f}",
                row.pairs,
                f"{row.apart:.2%}",
                f"{row.called_different:.0%}",
            )
            hits = [f"{row.found[share]:.0%}" for share in shares]
            lines.append("".join(CELL.format(cell) for cell in (*cells, *hits)))
        return lines

    @cached_property
    def _equals(self) -> list[Compared]:
        return list(self.comparisons(()))

    def _compared(self, runs: int, shares: Sequence[float]) -> Compared:
        arms = list(self._arms(runs))
        logs = [math.log(fmean(second) / fmean(first)) for first, second in arms]
        return Compared(
            seconds=2 * runs * self.seconds / len(self.processes),
            pairs=len(self.processes) // (2 * runs),
            apart=math.sqrt(fmean(log**2 for log in logs)),
            called_different=fmean(self.test(*arm) for arm in arms),
            found={share: fmean(self._finds(*arm, share) for arm in arms) for share in shares},
        )

    def _arms(self, runs: int) -> Iterator[tuple[Values, Values]]:
        """Stretches that overlap those of other comparisons, since there are few that do not."""
        last = len(self.processes) - 2 * runs
        for start in range(0, last + 1, last // MOST_COMPARED + 1):
            middle = start + runs
            first, second = self.processes[start:middle], self.processes[middle : middle + runs]
            yield flat(first), flat(second)

    def _finds(self, first: Values, second: Values, share: float) -> bool:
        slower = [value * (1 + share) for value in second]
        return self.test(first, slower) and fmean(slower) > fmean(first)


def flat(processes: Sequence[Values]) -> Values:
    return [value for values in processes for value in values]
