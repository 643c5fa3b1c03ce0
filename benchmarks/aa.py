"""How often noise is called a difference: `python benchmarks/aa.py [SETS]`.

Six copies of one contestant sit together, as contestants of a comparison do, for several rounds of
fresh processes. Every pair of copies is a comparison of equals: fifteen in a set. Counted is how
often a pair is called different, by the rule of `stone compare`, and how far from 1 ratios are.
Run it on an otherwise idle machine; it takes some minutes a set.
"""

from __future__ import annotations

import math
import sys
import tempfile
import time
from itertools import combinations
from pathlib import Path
from statistics import pstdev

import racers

from tensorstone.bench.scores import Scores
from tensorstone.bench.statistics import differs, paired_ratio

COPIES, ROUNDS, TURNS = 6, 6, 12
SETS = 15


def main(sets: int) -> None:
    claims = pairs = 0
    print(
        f"{'contestant':<28}{'step':>10}{'pairs':>7}{'claimed':>9}{'spread':>9}{'±95 %':>8}{'s':>6}"
    )
    with tempfile.TemporaryDirectory() as folder:
        made = [
            racers.numpy_racer(64, Path(folder)),
            racers.numpy_racer(512, Path(folder)),
            racers.racer("mlp-mnist", "pytorch/eager", Path(folder)),
            racers.racer("lenet", "mxnet/gluon-static", Path(folder)),
            racers.racer("lenet", "pytorch/eager", Path(folder)),
        ]
        for number in range(sets):
            contestant = made[number % len(made)]
            start = time.monotonic()
            group = racers.copies(contestant, COPIES)
            scores = Scores(racers.rounds(group, ROUNDS, TURNS))
            names = [one.dialect for one in group]
            ratios = [paired_ratio(scores, *pair) for pair in combinations(names, 2)]
            found = sum(differs(scores, *pair) for pair in combinations(names, 2))
            spread = pstdev(math.log(ratio.value) for ratio in ratios if ratio)
            widths = [ratio.half_width or 0.0 for ratio in ratios if ratio]
            step_s = min(scores.steps(names[0]).values())
            claims, pairs = claims + found, pairs + len(ratios)
            print(
                f"{contestant.dialect:<28}{step_s * 1e3:>7.2f} ms{len(ratios):>7}{found:>9}"
                f"{spread:>9.2%}{sorted(widths)[len(widths) // 2]:>8.2%}"
                f"{time.monotonic() - start:>6.0f}",
                flush=True,
            )
    print(f"{claims} of {pairs} comparisons of equals were called different: {claims / pairs:.2%}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else SETS)
