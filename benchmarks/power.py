"""How often a true difference is found, and in how long: `python benchmarks/power.py --help`.

One arm's steps are made longer by 2, 5 or 10 per cent: after each, the program waits by the clock
for that share of what the step took. A try is a race as `stone compare --precision` would run it
with half the difference; it counts as found if the slower one has the second rank. With `--rounds`
races are not run one by one but drawn from so many rounds of one long race (drawn.py). Beside them
pyperf and hyperfine themselves, in fresh processes one arm after the other, given as long as the
median race took, on the slower arm and on two equal ones. Before that each of them measures the
plain arm for long: what more time would be worth to it is read from stretches of that run
(stretches.py), and so is how long it needs. Run it on an otherwise idle machine; it takes hours.
"""

from __future__ import annotations

import argparse
import math
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median

import drawn
import peers
import racers
from stretches import LongRun

from tensorstone.bench.plan import Contestant, Settings
from tensorstone.bench.scores import Scores
from tensorstone.bench.statistics import against_itself, ranking
from tensorstone.referee.undisturbed import undisturbed

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
TOOLS: dict[str, Callable[[Path, float], peers.Tool]] = {  # given what a step takes
    "pyperf": lambda folder, _: peers.Pyperf(folder),
    "hyperfine": peers.Hyperfine,
}
PRECISION = 0.5  # of the difference: what seems larger than that is not left open
HEADS = (
    "contestant",
    "slower",
    "found",
    "seconds",
    "tool",
    "found",
    "equals",
    "seconds",
    "needs",
)
ROW = "{:<36}{:>7}{:>9}{:>9}  {:<10}{:>7}{:>8}{:>9}{:>10}"
Tried = tuple[bool, float, float]
Race = Callable[[int], Tried]  # by its seed


def main() -> None:
    options = asked()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for racer in options.contestants:
            plain = RACERS[racer](folder)
            slower = {share: slowed(plain, share, folder) for share in options.shares}
            way = by_drawing if options.rounds else by_racing
            found = {
                share: [race(seed) for seed in range(options.tries)]
                for share, race in way(plain, slower, options)
            }
            step_s = median(step_s for tries in found.values() for _, _, step_s in tries)
            asked_of = [TOOLS[tool](folder, step_s) for tool in options.tools]
            runs = {tool.name: peers.long_run(tool, plain, options.long) for tool in asked_of}
            for run in runs.values():
                show_stretches(run, options.shares)
            print(ROW.format(*HEADS), flush=True)
            for share, ours in found.items():
                given_s = min(median(s for _, s, _ in ours), options.peer_seconds)
                said = {
                    tool.name: peers.ask(tool, plain, slower[share], given_s, options.peer_tries)
                    for tool in asked_of
                }
                show(plain, share, ours, said, runs)
            print(flush=True)


def asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("contestants", nargs="*", default=list(RACERS), help=", ".join(RACERS))
    parser.add_argument("--shares", type=float, nargs="+", default=[0.02, 0.05, 0.10])
    parser.add_argument("--tries", type=int, default=20, help="races for each share")
    parser.add_argument("--rounds", type=int, help="of one long race, from which tries are drawn")
    parser.add_argument("--peer-tries", type=int, default=3, help="the same by each other tool")
    parser.add_argument("--peer-seconds", type=float, default=math.inf, help="a try, at most")
    parser.add_argument("--long", type=float, default=600.0, help="seconds of a tool's long run")
    parser.add_argument("--tools", nargs="+", default=["pyperf", "hyperfine"])
    parser.add_argument("--budget", type=float, default=900.0, help="of a race, in seconds")
    options = parser.parse_args()
    if unknown := set(options.contestants) - set(RACERS):
        parser.error(f"no such contestant: {', '.join(sorted(unknown))}")
    if "hyperfine" in options.tools and not shutil.which("hyperfine"):
        parser.error("hyperfine is not installed: it is a package of most systems")
    return options


def by_racing(
    plain: Contestant, slower: Mapping[float, Contestant], options: argparse.Namespace
) -> Iterator[tuple[float, Race]]:
    for share, slow in slower.items():
        yield share, partial(raced, plain, slow, share, options.budget)


def by_drawing(
    plain: Contestant, slower: Mapping[float, Contestant], options: argparse.Namespace
) -> Iterator[tuple[float, Race]]:
    trials = drawn.long_race(plain, list(slower.values()), options.rounds)
    for share, slow in slower.items():
        rounds = drawn.rounds_of(trials, plain, slow)
        print(f"{share:.0%} slower by rounds: {rounds}", file=sys.stderr, flush=True)
        yield share, partial(rounds.race, PRECISION * share, options.budget)


def raced(plain: Contestant, slow: Contestant, share: float, budget_s: float, seed: int) -> Tried:
    """Whether the slower one was found to be, after how many seconds, and how long a step is."""
    start = time.monotonic()
    settings = Settings(budget_s=budget_s, precision=PRECISION * share, seed=seed)
    done = racers.raced([plain, slow], settings)
    itself = against_itself(done.trials)
    scores = Scores(done.trials).only([plain.dialect, slow.dialect])
    ranks = {s.name: s.rank for s in ranking(scores, itself.margin if itself else 0.0)}
    step_s = median(scores.steps(plain.dialect).values())
    found, seconds = ranks[slow.dialect] > ranks[plain.dialect], time.monotonic() - start
    said = "found" if found else "missed"  # hours go by: each try is said as it ends
    print(f"{share:.0%} slower: {said} after {seconds:.0f} s", file=sys.stderr, flush=True)
    return found, seconds, step_s


def show(
    plain: Contestant,
    share: float,
    ours: Sequence[Tried],
    theirs: Mapping[str, peers.Answers],
    runs: Mapping[str, LongRun],
) -> None:
    found, seconds = sum(f for f, _, _ in ours), median(s for _, s, _ in ours)
    mine = (plain.dialect, f"{share:.0%}", f"{found}/{len(ours)}", f"{seconds:.0f}")
    for tool, said in theirs.items():
        hits = f"{sum(v.claim == 'slower' for v in said.slower)}/{len(said.slower)}"
        false = f"{sum(bool(v.claim) for v in said.equals)}/{len(said.equals)}"
        spent = f"{median(v.seconds for v in said.slower):.0f}"
        needed = runs[tool].needed(share)
        print(ROW.format(*mine, tool, hits, false, spent, needed), flush=True)
        mine = ("",) * len(mine)


def show_stretches(run: LongRun, shares: Sequence[float]) -> None:
    long = f"{len(run.processes)} processes in {run.seconds:.0f} s"
    print(f"{run.tool} on {run.name}: {long}, in stretches", *run.table(shares), "", sep="\n")


def slowed(contestant: Contestant, share: float, folder: Path) -> Contestant:
    percent = round(100 * share)
    program = folder / f"slower{percent}-{contestant.program.name}"
    source = contestant.program.read_text(encoding="utf-8")
    program.write_text(source + SLOWER.format(share=share), encoding="utf-8")
    return replace(contestant, dialect=f"slower by {percent} %", program=program)


if __name__ == "__main__":
    with undisturbed():
        main()
