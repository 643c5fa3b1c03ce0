"""How often a true difference is found, and in how long: `python benchmarks/power.py --help`.

One arm's steps are made longer by 2, 5 or 10 per cent: after each, the program waits by the clock
for that share of what the step took. Each try is a race of its own, as `stone compare --precision`
would run it with two fifths of the difference; it counts as found if the slower one has the second
rank. Beside it pyperf and hyperfine themselves, in fresh processes one after the other, given as
long as the median race took; and how long each would need to find the difference 95 times in 100,
computed from how its processes varied. Run it on an otherwise idle machine; it takes hours.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median

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
RACERS = {
    "numpy": lambda folder: racers.numpy_racer(256, folder),
    "lenet": lambda folder: racers.racer("lenet", "pytorch/eager", folder),
}
PRECISION = 0.4  # of the difference: then nearly every true one can be claimed
HYPERFINE_S = 5.0  # of steps in a command: its start should not be most of it
HEADS = (
    "contestant",
    "slower",
    "found",
    "seconds",
    "tool",
    "found",
    "seconds",
    "for 95 %",
)
ROW = "{:<44}{:>7}{:>8}{:>9}  {:<10}{:>7}{:>9}{:>11}"
Tried = tuple[bool, float, float]


def main() -> None:
    options = asked()
    print(ROW.format(*HEADS), flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        library = peers.install_pyperf(folder)
        for racer in options.contestants:
            plain = RACERS[racer](folder)
            for share in options.shares:
                slow = slowed(plain, share, folder)
                ours = [
                    told(share, ranked(plain, slow, share, options.budget, seed))
                    for seed in range(options.tries)
                ]
                seconds = median(seconds for _, seconds, _ in ours)
                steps = round(HYPERFINE_S / median(step_s for _, _, step_s in ours))
                pyperf = partial(peers.pyperf, plain, slow, folder, library)
                hyperfine = partial(peers.hyperfine, plain, slow, folder, steps)
                theirs = {
                    "pyperf": peers.in_time(pyperf, seconds, options.peer_tries),
                    "hyperfine": peers.in_time(hyperfine, seconds, options.peer_tries),
                }
                show(plain, share, ours, theirs)


def asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("contestants", nargs="*", default=list(RACERS), help=", ".join(RACERS))
    parser.add_argument("--shares", type=float, nargs="+", default=[0.02, 0.05, 0.10])
    parser.add_argument("--tries", type=int, default=20, help="races for each share")
    parser.add_argument("--peer-tries", type=int, default=3, help="the same by each other tool")
    parser.add_argument("--budget", type=float, default=900.0, help="of a race, in seconds")
    options = parser.parse_args()
    if unknown := set(options.contestants) - set(RACERS):
        parser.error(f"no such contestant: {', '.join(sorted(unknown))}")
    if not shutil.which("hyperfine"):
        parser.error("hyperfine is not installed: it is a package of most systems")
    return options


def told(share: float, tried: Tried) -> Tried:
    """Hours go by: each try is said as it ends."""
    found, seconds, _ = tried
    said = "found" if found else "missed"
    print(f"{share:.0%} slower: {said} after {seconds:.0f} s", file=sys.stderr, flush=True)
    return tried


def ranked(plain: Contestant, slow: Contestant, share: float, budget_s: float, seed: int) -> Tried:
    """Whether the slower one was found to be, after how many seconds, and how long a step is."""
    start = time.monotonic()
    settings = Settings(budget_s=budget_s, precision=PRECISION * share, seed=seed)
    done = racers.raced([plain, slow], settings)
    itself = against_itself(done.trials)
    scores = Scores(done.trials).only([plain.dialect, slow.dialect])
    ranks = {s.name: s.rank for s in ranking(scores, itself.margin if itself else 0.0)}
    step_s = median(scores.steps(plain.dialect).values())
    return ranks[slow.dialect] > ranks[plain.dialect], time.monotonic() - start, step_s


def show(
    plain: Contestant,
    share: float,
    ours: Sequence[Tried],
    theirs: Mapping[str, Sequence[peers.Verdict]],
) -> None:
    found, seconds = sum(f for f, _, _ in ours), median(s for _, s, _ in ours)
    mine = (plain.dialect, f"{share:.0%}", f"{found}/{len(ours)}", f"{seconds:.0f}")
    for tool, verdicts in theirs.items():
        hits = f"{sum(v.found for v in verdicts)}/{len(verdicts)}"
        spent = f"{median(v.seconds for v in verdicts):.0f}"
        needed = f"{peers.seconds_needed(verdicts, share):.0f}"
        print(ROW.format(*mine, tool, hits, spent, needed), flush=True)
        mine = ("",) * len(mine)


def slowed(contestant: Contestant, share: float, folder: Path) -> Contestant:
    program = folder / f"slower{round(100 * share)}-{contestant.program.name}"
    source = contestant.program.read_text(encoding="utf-8")
    program.write_text(source + SLOWER.format(share=share), encoding="utf-8")
    return replace(contestant, dialect="slower", program=program)


if __name__ == "__main__":
    main()
