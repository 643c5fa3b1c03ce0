"""How often a true difference is found, and in how long: `python benchmarks/power.py [TRIES]`.

One arm's steps are made longer by 2, 5 or 10 per cent: after each, the program waits by the clock
for that share of what the step took. Each try is a race of its own, as `stone compare --precision`
would run it with a third of the difference; it counts as found if the slower one has the second
rank. Beside it pyperf and hyperfine themselves, with 20 processes an arm, on as many of the tries
as `PEER_TRIES` says; and how long each would need to find the difference 95 times in 100, computed
from how its processes varied. Run it on an otherwise idle machine; it takes some hours.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean, median

import peers
import racers

from tensorstone.bench.plan import Contestant, Settings
from tensorstone.bench.scores import Scores
from tensorstone.bench.statistics import against_itself, ranking

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
TRIES, PEER_TRIES = 20, 2
BUDGET_S = 300.0
HYPERFINE_S = 5.0  # of steps in a command: its start should not be most of it
HEADS = (
    "contestant",
    "slower",
    "tries",
    "found",
    "seconds",
    "tool",
    "found",
    "seconds",
    "for 95 %",
)
ROW = "{:<44}{:>7}{:>7}{:>7}{:>9}  {:<10}{:>7}{:>9}{:>11}"


def main(tries: int) -> None:
    print(ROW.format(*HEADS))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        library = peers.install_pyperf(folder)
        for plain in (
            racers.numpy_racer(256, folder),
            racers.racer("lenet", "pytorch/eager", folder),
        ):
            for share in SHARES:
                slow = slowed(plain, share, folder)
                ours = [told(share, ranked(plain, slow, share / 3, seed)) for seed in range(tries)]
                steps = round(HYPERFINE_S / median(step_s for _, _, step_s in ours))
                theirs: dict[str, list[peers.Verdict]] = {"pyperf": [], "hyperfine": []}
                for _ in range(PEER_TRIES):
                    theirs["pyperf"].append(peers.pyperf(plain, slow, folder, library))
                    if verdict := peers.hyperfine(plain, slow, folder, steps):
                        theirs["hyperfine"].append(verdict)
                show(plain, share, ours, theirs)


def told(share: float, tried: tuple[bool, float, float]) -> tuple[bool, float, float]:
    """Hours go by: each try is said as it ends."""
    found, seconds, _ = tried
    said = "found" if found else "missed"
    print(f"{share:.0%} slower: {said} after {seconds:.0f} s", file=sys.stderr, flush=True)
    return tried


def ranked(
    plain: Contestant, slow: Contestant, precision: float, seed: int
) -> tuple[bool, float, float]:
    """Whether the slower one was found to be, after how many seconds, and how long a step is."""
    start = time.monotonic()
    settings = Settings(budget_s=BUDGET_S, precision=precision, seed=seed)
    done = racers.raced([plain, slow], settings)
    itself = against_itself(done.trials)
    scores = Scores(done.trials).only([plain.dialect, slow.dialect])
    ranks = {s.name: s.rank for s in ranking(scores, itself.margin if itself else 0.0)}
    step_s = median(scores.steps(plain.dialect).values())
    return ranks[slow.dialect] > ranks[plain.dialect], time.monotonic() - start, step_s


def show(
    plain: Contestant,
    share: float,
    ours: Sequence[tuple[bool, float, float]],
    theirs: dict[str, list[peers.Verdict]],
) -> None:
    found, seconds = sum(f for f, _, _ in ours), median(s for _, s, _ in ours)
    mine = (plain.dialect, f"{share:.0%}", len(ours), found, f"{seconds:.0f}")
    for tool, verdicts in theirs.items():
        if verdicts:
            hits = f"{sum(v.found for v in verdicts)}/{len(verdicts)}"
            spent = f"{median(v.seconds for v in verdicts):.0f}"
            needed = f"{fmean(peers.seconds_needed(v, share) for v in verdicts):.0f}"
            print(ROW.format(*mine, tool, hits, spent, needed), flush=True)
            mine = ("",) * len(mine)


def slowed(contestant: Contestant, share: float, folder: Path) -> Contestant:
    program = folder / f"slower{round(100 * share)}-{contestant.program.name}"
    source = contestant.program.read_text(encoding="utf-8")
    program.write_text(source + SLOWER.format(share=share), encoding="utf-8")
    return replace(contestant, dialect="slower", program=program)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else TRIES)
