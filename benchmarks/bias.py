"""Whether company changes a ratio: `python benchmarks/bias.py [REPEATS]`.

One pair, the second of which waits for a tenth of each step after it, is raced in several
companies: alone, named in the other order, among five and among ten, beside a neighbour that is
much heavier. Its ratio should be the same in all of them, within its interval; and the first,
seated a second time, should tie with itself. Run it on an otherwise idle machine; a repeat takes
about half an hour.
"""

from __future__ import annotations

import math
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import racers

from tensorstone.bench.bootstrap import CLAIM, Estimate
from tensorstone.bench.plan import Contestant, Settings
from tensorstone.bench.scores import Scores
from tensorstone.bench.statistics import differs, paired_ratio
from tensorstone.referee.undisturbed import undisturbed

SHARE = 0.10
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
PRECISION = 0.005  # out of reach: every race uses its whole budget
NUMPY_S, LENET_S = 45.0, 110.0  # a race of three
HEAVY = 3000  # a step of half a second or so
ROW = "{:<34}{:>7}  {:<22}{:>13}  {}"


def main(repeats: int) -> None:
    print(ROW.format("company", "rounds", f"ratio ({CLAIM:.1%})", "from alone", "a second seat"))
    with tempfile.TemporaryDirectory() as name:
        for plain, budget_s in (
            (racers.numpy_racer(512, Path(name)), NUMPY_S),
            (racers.racer("lenet", "pytorch/eager", Path(name)), LENET_S),
        ):
            print(plain.dialect, flush=True)
            for repeat in range(repeats):
                compare_companies(plain, Path(name), budget_s, repeat)


def compare_companies(plain: Contestant, folder: Path, budget_s: float, repeat: int) -> None:
    slow = slowed(plain, folder)
    again = replace(plain, dialect=f"{plain.dialect}, second seat")
    others = [racers.numpy_racer(size, folder) for size in (64, 96, 128, 160, 192, 320, 384)]
    alone: Estimate | None = None
    for number, (company, contestants) in enumerate(
        {
            "alone": [plain, slow, again],
            "in the other order": [again, slow, plain],
            "among five": [plain, slow, again, *others[:2]],
            "among ten": [plain, slow, again, *others],
            "beside a heavy neighbour": [plain, slow, again, racers.numpy_racer(HEAVY, folder)],
        }.items()
    ):
        settings = Settings(
            budget_s=budget_s * len(contestants) / 3,
            precision=PRECISION,
            seed=100 * repeat + number,
        )
        done = racers.raced(contestants, settings)
        scores = Scores(done.trials)
        ratio = paired_ratio(scores, slow.dialect, plain.dialect, CLAIM)
        assert ratio is not None
        alone = alone or ratio
        print(
            ROW.format(
                f"  {company}",
                done.rounds,
                f"{ratio.value:.4f} ({ratio.low or 0:.4f}-{ratio.high or math.inf:.4f})",
                "" if ratio is alone else apart(ratio, alone),
                "differs" if differs(scores, again.dialect, plain.dialect) else "ties",
            ),
            flush=True,
        )


def slowed(contestant: Contestant, folder: Path) -> Contestant:
    program = folder / f"slower-{contestant.program.name}"
    source = contestant.program.read_text(encoding="utf-8")
    program.write_text(source + SLOWER.format(share=SHARE), encoding="utf-8")
    return replace(contestant, dialect=f"slower by {SHARE:.0%}", program=program)


def apart(ratio: Estimate, alone: Estimate) -> str:
    """How far from the pair alone, and whether that is more than both intervals allow."""
    far = math.log(ratio.value / alone.value)
    allowed = math.hypot(ratio.half_width or math.inf, alone.half_width or math.inf)
    return f"{far:+.2%} {'BIASED' if abs(far) > allowed else 'same'}"


if __name__ == "__main__":
    with undisturbed():
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
