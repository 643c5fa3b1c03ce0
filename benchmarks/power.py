"""How often a true difference is found, and in how long: `python benchmarks/power.py --help`.

A try is a race of two as `stone compare --precision` would run it with half the difference; it
counts as found if the slower one has the second rank. Many tries, of equals too, are drawn from the
rounds of one long race of equals (drawn.py). For `numpy` some are races of their own, in which the
slower arm does so many per cent more products of matrices.

Beside them pyperf and hyperfine themselves, in fresh processes, one arm after the other. What time
is worth to them, and how much they need, is read from stretches of one long run of the plain arm
(stretches.py); for `numpy` they also compare the two arms, and two equal ones, in as long as the
median race took. Run it on an otherwise idle machine; it takes an hour or two.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

import drawn
import peers
import racers
from drawn import Tried
from stretches import LongRun

from tensorstone.analysis.bootstrap import CLAIM
from tensorstone.analysis.controls import aa_control
from tensorstone.analysis.ranking import paired_ratio, ranking
from tensorstone.analysis.scores import Scores
from tensorstone.race.plan import Contestant
from tensorstone.results.settings import RaceSettings
from tensorstone.support.machine_lock import machine_lock

SIZE, PRODUCTS = 128, 100  # one product more is one per cent more
TOOLS: dict[str, Callable[[Path, float], peers.Tool]] = {  # given what a step takes
    "pyperf": lambda folder, _: peers.Pyperf(folder),
    "hyperfine": peers.Hyperfine,
}
PRECISION = 0.5  # of the difference
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
ROW = "{:<42}{:>7}{:>10}{:>9}  {:<10}{:>7}{:>8}{:>9}{:>10}"


@dataclass(frozen=True)
class Answer:
    """How often a program slower by this share was told from the plain one."""

    way: str  # the tries were made
    share: float  # 0: two equals
    tries: list[Tried]
    slow: Contestant | None = None  # for other tools; None where it is slower by arithmetic


def main() -> None:
    options = asked()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for contestant in options.contestants:
            plain, ours = CONTESTANTS[contestant](folder, options)
            step_s = median(t.step_s for answer in ours for t in answer.tries)
            tools = [TOOLS[tool](folder, step_s) for tool in options.tools]
            runs = {tool.name: peers.long_run(tool, plain, options.long) for tool in tools}
            for run in runs.values():
                show_stretches(run, options.shares)
            print(ROW.format(*HEADS), flush=True)
            for answer in ours:
                show(plain, answer, [(tool, runs[tool.name]) for tool in tools], options.peer_tries)
            print(flush=True)


def asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("contestants", nargs="*", default=list(CONTESTANTS))
    parser.add_argument("--shares", type=float, nargs="+", default=[0.02, 0.05, 0.10])
    parser.add_argument("--tries", type=int, default=20, help="races of numpy for each share")
    parser.add_argument("--rounds", type=int, default=60, help="of a long race of equals")
    parser.add_argument("--draws", type=int, default=500, help="from it, for each share")
    parser.add_argument("--budget", type=float, default=900.0, help="of a race, in seconds")
    parser.add_argument("--long", type=float, default=600.0, help="seconds of a tool's long run")
    parser.add_argument("--peer-tries", type=int, default=3, help="of tools, on numpy's two arms")
    parser.add_argument("--tools", nargs="+", default=list(TOOLS))
    options = parser.parse_args()
    if unknown := set(options.contestants) - set(CONTESTANTS):
        parser.error(f"no such contestant: {', '.join(sorted(unknown))}")
    if "hyperfine" in options.tools and not shutil.which("hyperfine"):
        parser.error("hyperfine is not installed: it is a package of most systems")
    return options


def of_numpy(folder: Path, options: argparse.Namespace) -> tuple[Contestant, list[Answer]]:
    plain = racers.numpy_racer(SIZE, folder, PRODUCTS)
    answers = by_drawing(plain, options)
    for share in options.shares if options.tries else ():
        slow = racers.numpy_racer(SIZE, folder, round(PRODUCTS * (1 + share)))
        tries = [raced(plain, slow, share, options.budget, seed) for seed in range(options.tries)]
        answers.append(Answer("raced", share, tries, slow))
    return plain, answers


def of_lenet(folder: Path, options: argparse.Namespace) -> tuple[Contestant, list[Answer]]:
    plain = racers.racer("lenet", "pytorch/eager", folder)
    return plain, by_drawing(plain, options)


CONTESTANTS = {"numpy": of_numpy, "lenet": of_lenet}


def by_drawing(plain: Contestant, options: argparse.Namespace) -> list[Answer]:
    rounds = drawn.long_race(plain, options.rounds)
    answers = []
    for share in (0.0, *options.shares):
        precision = PRECISION * (share or min(options.shares))
        race = partial(rounds.race, share, precision, options.budget)
        answers.append(Answer("drawn", share, list(map(race, range(options.draws)))))
    return answers


def raced(plain: Contestant, slow: Contestant, share: float, budget_s: float, seed: int) -> Tried:
    start = time.monotonic()
    settings = RaceSettings(budget_s=budget_s, precision=PRECISION * share, seed=seed)
    done = racers.raced([plain, slow], settings)
    everyone = Scores(done.trials)
    control = aa_control(everyone)
    scores = everyone.only([plain.dialect, slow.dialect])
    ranks = {s.name: s.rank for s in ranking(scores, control.margin if control else 0.0)}
    step_s = median(scores.steps(plain.dialect).values())
    tried = Tried(ranks[slow.dialect] > ranks[plain.dialect], time.monotonic() - start, step_s)
    ratio = paired_ratio(scores, slow.dialect, plain.dialect, CLAIM)
    said = f"{'found' if tried.found else 'missed'} after {tried.seconds:.0f} s, {ratio}"
    print(f"{share:.0%} slower: {said}", file=sys.stderr, flush=True)  # hours go by
    return tried


def show(
    plain: Contestant, ours: Answer, tools: Sequence[tuple[peers.Tool, LongRun]], tries: int
) -> None:
    found, seconds = sum(t.found for t in ours.tries), median(t.seconds for t in ours.tries)
    mine = (
        f"{plain.dialect}, {ours.way}",
        f"{ours.share:.0%}",
        f"{found}/{len(ours.tries)}",
        f"{seconds:.0f}",
    )
    for tool, run in tools:
        needs = run.needed(ours.share) if ours.share else ""
        theirs = ("", "", "")
        if ours.slow:
            said = peers.ask(tool, plain, ours.slow, seconds, tries)
            theirs = (
                f"{sum(v.claim == 'slower' for v in said.slower)}/{tries}",
                f"{sum(bool(v.claim) for v in said.equals)}/{tries}",
                f"{median(v.seconds for v in said.slower):.0f}",
            )
        print(ROW.format(*mine, tool.name, *theirs, needs), flush=True)
        mine = ("",) * len(mine)


def show_stretches(run: LongRun, shares: Sequence[float]) -> None:
    long = f"{len(run.processes)} processes in {run.seconds:.0f} s"
    print(f"{run.tool} on {run.name}: {long}, in stretches", *run.table(shares), "", sep="\n")


if __name__ == "__main__":
    with machine_lock():
        main()
