"""Whether company changes a ratio: `python benchmarks/bias.py [REPEATS]`.

One pair, the second of which does six steps where the first does five, is raced in several
companies: alone, named in the other order, among five and among ten, beside a neighbour that is
much heavier. Its ratio should be the same in all of them, within its interval, and 1.2; and who
sits twice for control should tie with itself. Run it on an otherwise idle machine; a repeat takes
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
from tensorstone.bench.statistics import against_itself, paired_ratio
from tensorstone.referee.undisturbed import undisturbed

EVERY = 5  # steps there is one more; what waits for a while instead is slower by who knows what
IN_TRUTH = Estimate(1 + 1 / EVERY, 1 + 1 / EVERY, 1 + 1 / EVERY, 1)
SLOWER = """

_train, _steps = train, 0


def train(learner, batches):
    def more():
        global _steps
        for batch in batches:
            yield batch
            _steps += 1
            if _steps % {every} == 0:
                yield batch

    return _train(learner, more())
"""
PRECISION = 0.005  # out of reach: every race uses its whole budget
NUMPY_S, LENET_S = 45.0, 120.0  # a race of two
HEAVY = 3000  # a step of half a second or so
ROW = "{:<34}{:>7}  {:<22}{:>13}{:>14}  {}"


def main(repeats: int) -> None:
    print(
        ROW.format(
            "company", "rounds", f"ratio ({CLAIM:.1%})", "from alone", "from truth", "a second seat"
        )
    )
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
    others = [racers.numpy_racer(size, folder) for size in (64, 96, 128, 160, 192, 256, 320, 384)]
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
                apart(ratio, IN_TRUTH),
                "differs" if itself.margin else "ties",
            ),
            flush=True,
        )


def slowed(contestant: Contestant, folder: Path) -> Contestant:
    program = folder / f"slower-{contestant.program.name}"
    source = contestant.program.read_text(encoding="utf-8")
    program.write_text(source + SLOWER.format(every=EVERY), encoding="utf-8")
    return replace(contestant, dialect=f"slower, ×{IN_TRUTH.value:g}", program=program)


def apart(ratio: Estimate, other: Estimate) -> str:
    """How far from another, and whether that is more than both intervals allow."""
    far = math.log(ratio.value / other.value)
    widths = ratio.half_width, other.half_width
    allowed = math.hypot(*(math.inf if width is None else width for width in widths))
    return f"{far:+.2%} {'BIASED' if abs(far) > allowed else 'same'}"


if __name__ == "__main__":
    with undisturbed():
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
