"""Whether company changes a ratio: `python benchmarks/bias.py [REPEATS]`.

One pair, the second of which does a fifth more in each step (six products for five; batches of 240
samples for 200), is raced in several companies: alone, named in the other order, among five and
among ten, beside a neighbour that is much heavier. Its ratio should be the same in all of them,
within its interval; and who sits twice for control should tie with itself. Run it on an otherwise
idle machine; a repeat takes about half an hour.
"""

from __future__ import annotations

import math
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import racers

from tensorstone.analysis.bootstrap import CLAIM, Estimate
from tensorstone.analysis.ranking import against_itself, paired_ratio
from tensorstone.analysis.scores import Scores
from tensorstone.race.plan import Contestant, Settings
from tensorstone.support.machine_lock import undisturbed

SIZE, LARGER = 256, 240
PRECISION = 0.005  # out of reach: every race uses its whole budget
NUMPY_S, LENET_S = 35.0, 90.0  # a race of two
HEAVY = 3000  # a step of half a second or so
ROW = "{:<34}{:>7}  {:<22}{:>13}  {}"


def main(repeats: int) -> None:
    print(ROW.format("company", "rounds", f"ratio ({CLAIM:.1%})", "from alone", "a second seat"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        numpy, more_products = (racers.numpy_racer(SIZE, folder, products) for products in (5, 6))
        lenet = racers.racer("lenet", "pytorch/eager", folder)
        larger = replace(lenet, dialect=f"{lenet.dialect}, larger batches", batch=LARGER)
        for pair, budget_s in (((numpy, more_products), NUMPY_S), ((lenet, larger), LENET_S)):
            print(pair[0].dialect, flush=True)
            for repeat in range(repeats):
                compare_companies(*pair, folder, budget_s, repeat)


def compare_companies(
    plain: Contestant, slow: Contestant, folder: Path, budget_s: float, repeat: int
) -> None:
    others = [racers.numpy_racer(size, folder) for size in (64, 96, 128, 160, 192, 320, 384, 512)]
    alone: Estimate | None = None
    for number, (company, contestants) in enumerate(
        {
            "alone": [plain, slow],
            "in the other order": [slow, plain],
            "among five": [plain, slow, *others[:3]],
            "among ten": [plain, slow, *others],
            "beside a heavy neighbour": [plain, slow, racers.numpy_racer(HEAVY, folder)],
        }.items()
    ):
        settings = Settings(
            budget_s=budget_s * len(contestants) / 2,
            precision=PRECISION,
            seed=100 * repeat + number,
        )
        done = racers.raced(contestants, settings)
        itself = against_itself(done.trials)
        ratio = paired_ratio(Scores(done.trials), slow.dialect, plain.dialect, CLAIM)
        assert ratio is not None and itself is not None
        alone = alone or ratio
        print(
            ROW.format(
                f"  {company}",
                ratio.samples,
                f"{ratio.value:.4f} ({ratio.low or 0:.4f}-{ratio.high or math.inf:.4f})",
                "" if ratio is alone else apart(ratio, alone),
                "differs" if itself.margin else "ties",
            ),
            flush=True,
        )


def apart(ratio: Estimate, alone: Estimate) -> str:
    """How far from the pair alone, and whether that is more than both intervals allow."""
    far = math.log(ratio.value / alone.value)
    allowed = math.hypot(ratio.half_width or math.inf, alone.half_width or math.inf)
    return f"{far:+.2%} {'BIASED' if abs(far) > allowed else 'same'}"


if __name__ == "__main__":
    with undisturbed():
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
