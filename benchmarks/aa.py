"""How often noise is called a difference: `python benchmarks/aa.py [SETS]`.

Five copies of one contestant race each other as contestants of `stone compare` do, with the
A/A control that every race has: six equals, fifteen comparisons in a set (of which five are
independent). Counted is how often a pair is called different, by the rule of `stone compare`, and
how far from 1 its ratios are. Steps are fast and slow, of several dialects, with memory kept and
not. Run it on an otherwise idle machine; a set takes about two minutes.
"""

from __future__ import annotations

import math
import sys
import tempfile
import time
from itertools import combinations
from pathlib import Path
from statistics import median, pstdev

import racers

from tensorstone.analysis.controls import aa_control
from tensorstone.analysis.ranking import differs, paired_ratio
from tensorstone.analysis.scores import Scores
from tensorstone.results.settings import RaceSettings
from tensorstone.support.machine_lock import machine_lock

COPIES, BUDGET_S = 5, 120.0  # enough for intervals where a start takes seconds
SETS = 14
HEADS = ("contestant", "step", "rounds", "pairs", "claimed", "spread", "±95 %", "s")
ROW = "{:<44}{:>10}{:>8}{:>7}{:>9}{:>9}{:>9}{:>6}"


def main(sets: int) -> None:
    claims = pairs = 0
    print(ROW.format(*HEADS), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        made = racers.assorted(Path(folder))
        for number in range(sets):
            contestant = made[number % len(made)]
            start = time.monotonic()
            done = racers.raced(
                racers.copies(contestant, COPIES), RaceSettings(budget_s=BUDGET_S, seed=number)
            )
            scores = Scores(done.trials)
            control = aa_control(scores)
            margin = control.margin if control else 0.0
            met = [pair for pair in combinations(scores.names, 2) if scores.ratios(*pair)]
            ratios = [ratio for pair in met if (ratio := paired_ratio(scores, *pair))]
            called = [pair for pair in met if differs(scores, *pair, margin)]
            for pair in called:
                print(*pair, scores.ratios(*pair), file=sys.stderr, flush=True)
            claims, pairs = claims + len(called), pairs + len(met)
            step_s = median(scores.steps(scores.names[0]).values())
            print(
                ROW.format(
                    contestant.dialect,
                    f"{step_s * 1e3:.2f} ms",
                    done.rounds,
                    len(met),
                    len(called),
                    f"{pstdev(math.log(ratio.value) for ratio in ratios):.2%}",
                    f"{median(ratio.half_width or math.inf for ratio in ratios):.2%}",
                    f"{time.monotonic() - start:.0f}",
                ),
                flush=True,
            )
    print(f"{claims} of {pairs} comparisons of equals were called different: {claims / pairs:.2%}")


if __name__ == "__main__":
    with machine_lock():
        main(int(sys.argv[1]) if len(sys.argv) > 1 else SETS)
