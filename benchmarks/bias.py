"""Whether company changes a ratio: `python benchmarks/bias.py [REPEATS]`.

One pair, the second of which does a fifth more in each step (six products for five; batches of 240
samples for 200), is raced in several companies: alone, named in the other order, among five and
among ten, beside a neighbour that is much heavier. Its ratio should be the same in all of them,
within its interval; and the A/A control should tie. Run it on an otherwise
idle machine; a repeat takes about half an hour.
"""

from __future__ import annotations

import math
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import racers
from msgspec.structs import replace as changed

from tensorstone.analysis.bootstrap import CLAIM
from tensorstone.analysis.controls import aa_control
from tensorstone.analysis.ranking import paired_ratio
from tensorstone.analysis.scores import Scores
from tensorstone.race.plan import Contestant
from tensorstone.results.estimate import Estimate
from tensorstone.results.settings import RaceSettings
from tensorstone.support.machine_lock import machine_lock

SIZE, LARGER = 256, 240
PRECISION = 0.005  # out of reach: every race uses its whole budget
NUMPY_S, LENET_S = 35.0, 90.0  # a race of two
HEAVY = 3000  # a step of half a second or so
ROW = "{:<34}{:>7}  {:<22}{:>13}  {}"


def main(repeats: int) -> None:
    print(ROW.format("company", "rounds", f"ratio ({CLAIM:.1%})", "from alone", "A/A control"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        numpy, more_products = (racers.numpy_racer(SIZE, folder, products) for products in (5, 6))
        lenet = racers.racer("lenet", "pytorch/eager", folder)
        subject = changed(lenet.subject, batch=LARGER)
        larger = replace(lenet, dialect=f"{lenet.dialect}, larger batches", subject=subject)
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
        settings = RaceSettings(
            budget_s=budget_s * len(contestants) / 2,
            precision=PRECISION,
            seed=100 * repeat + number,
        )
        done = racers.raced(contestants, settings)
        scores = Scores(done.trials)
        control = aa_control(scores)
        ratio = paired_ratio(scores, slow.dialect, plain.dialect, CLAIM)
        assert ratio is not None and control is not None
        alone = alone or ratio
        print(
            ROW.format(
                f"  {company}",
                ratio.n,
                f"{ratio.value:.4f} ({ratio.low or 0:.4f}-{ratio.high or math.inf:.4f})",
                "" if ratio is alone else apart(ratio, alone),
                "differs" if control.margin else "ties",
            ),
            flush=True,
        )


def apart(ratio: Estimate, alone: Estimate) -> str:
    """How far from the pair alone, and whether that is more than both intervals allow."""
    far = math.log(ratio.value / alone.value)
    allowed = math.hypot(ratio.half_width or math.inf, alone.half_width or math.inf)
    return f"{far:+.2%} {'BIASED' if abs(far) > allowed else 'same'}"


if __name__ == "__main__":
    with machine_lock():
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
