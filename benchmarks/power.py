"""How often a true difference is found, and in how long: `python benchmarks/power.py [TRIES]`.

One arm's steps are made longer by 2, 5 or 10 per cent: after each, the program waits by the clock
for that share of what the step took. Each try is a comparison of its own, from fresh processes,
and goes on round by round until the difference is claimed (by the rule of `stone compare`) or its
time is up. Beside it, the same seconds spent the usual way: first one program to its end, then the
other, in fresh processes, and a t-test of their means. Run it on an otherwise idle machine.
"""

from __future__ import annotations

import math
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from statistics import fmean, median, stdev

import racers

from tensorstone.bench.plan import Contestant
from tensorstone.bench.results import Trial
from tensorstone.bench.scores import Scores
from tensorstone.bench.statistics import CLAIM, differs

SLOWER = """

_train = train


def train(learner, batches):
    from time import perf_counter

    def slower():
        start = perf_counter()
        for batch in batches:
            yield batch
            end = perf_counter() + {share} * (perf_counter() - start)
            while perf_counter() < end:
                pass
            start = perf_counter()

    return _train(learner, slower())
"""
SHARES = (0.02, 0.05, 0.10)
TURNS, FEWEST, MOST = 30, 4, 12


def main(tries: int) -> None:
    heads = ("contestant", "slower", "tries", "found", "median s", "one by one", "their s")
    print("{:<26}{:>7}{:>7}{:>7}{:>10}{:>12}{:>9}".format(*heads))
    with tempfile.TemporaryDirectory() as folder:
        for made in (
            racers.numpy_racer(256, Path(folder)),
            racers.racer("lenet", "pytorch/eager", Path(folder)),
        ):
            for share in SHARES:
                slow = slowed(made, share, Path(folder))
                ours = [side_by_side(made, slow) for _ in range(tries)]
                theirs = [one_by_one(made, slow, spent) for _, spent in ours]
                print(
                    f"{made.dialect:<26}{share:>7.0%}{tries:>7}"
                    f"{sum(found for found, _ in ours):>7}{median(s for _, s in ours):>10.0f}"
                    f"{sum(found for found, _ in theirs):>12}{median(s for _, s in theirs):>9.0f}",
                    flush=True,
                )


def slowed(contestant: Contestant, share: float, folder: Path) -> Contestant:
    program = folder / f"slower{round(100 * share)}-{contestant.program.name}"
    source = contestant.program.read_text(encoding="utf-8")
    program.write_text(source + SLOWER.format(share=share), encoding="utf-8")
    return replace(contestant, dialect="slower", program=program)


def side_by_side(plain: Contestant, slow: Contestant) -> tuple[bool, float]:
    """Whether the slower one was found to be, and after how many seconds."""
    start = time.monotonic()
    trials: list[Trial] = []
    for number in range(1, MOST + 1):
        made = racers.rounds([plain, slow], 1, TURNS)
        trials += [replace(trial, round=number) for trial in made]
        scores = Scores(trials)
        if number >= FEWEST and differs(scores, slow.dialect, plain.dialect):
            ratios = scores.ratios(slow.dialect, plain.dialect).values()
            return fmean(map(math.log, ratios)) > 0, time.monotonic() - start
    return False, time.monotonic() - start


def one_by_one(plain: Contestant, slow: Contestant, budget_s: float) -> tuple[bool, float]:
    """The same with the same seconds: half of them for each, one after the other."""
    start = time.monotonic()
    logs = []
    for contestant in (plain, slow):
        values: list[float] = []
        begin = time.monotonic()
        while len(values) < 3 or time.monotonic() - begin < budget_s / 2:
            (trial,) = racers.rounds([contestant], 1, TURNS)
            values.append(math.log(trial.step_s))
        logs.append(values)
    return _welch(*logs), time.monotonic() - start


def _welch(plain: list[float], slow: list[float]) -> bool:
    from scipy.special import stdtr

    parts = [stdev(values) ** 2 / len(values) for values in (plain, slow)]
    error = math.sqrt(sum(parts))
    freedom = sum(parts) ** 2 / sum(
        part**2 / (len(values) - 1) for part, values in zip(parts, (plain, slow), strict=True)
    )
    t = (fmean(slow) - fmean(plain)) / error
    return t > 0 and 2 * float(stdtr(freedom, -abs(t))) < 1 - CLAIM


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
