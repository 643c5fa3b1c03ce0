"""How long a large ledger takes to read: 1,000,000 blocks in 400 cells (20 runs of 20 dialects).

    python benchmarks/reading.py [--blocks N] [--repeats N] [--keep FOLDER]

Every command runs in a fresh process. `show` and `export` are timed twice: before anything of a run
was assembled (cold), and when it was (warm), as it is right after `compare` and every time it is
shown again.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import astuple, replace

from tensorstone.ledger import Ledger
from tensorstone.ledger.database import transaction
from tensorstone.ledger.rows import BLOCK_COLUMNS, TRIAL_COLUMNS, quoted, trial_values
from tensorstone.results.conditions import Conditions
from tensorstone.results.outcome import OK
from tensorstone.results.program import Program
from tensorstone.results.proof import Error, Level, Proof
from tensorstone.results.run import CellRecord, RunFacts, WorkloadFacts
from tensorstone.results.settings import RaceSettings
from tensorstone.results.trial import Block, Deployment, Feeding, Trial
from tensorstone.runtime.machine import this_machine

RUNS, DIALECTS, ROUNDS = 20, 20, 40
STONE = [sys.executable, "-c", "from tensorstone.cli import main; main()"]
# What is timed: words, whether assembled results are thrown away before, and the goal in seconds.
TIMED = (
    (("runs",), False, 0.5),
    (("show",), True, None),
    (("show",), False, 1.0),
    (("export", f"1-{RUNS}", "--format", "parquet", "--out", "all.parquet"), True, None),
    (("export", f"1-{RUNS}", "--format", "parquet", "--out", "all.parquet"), False, 5.0),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--blocks", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--keep", type=Path, help="make the ledger here, or use the one there")
    options = parser.parse_args()
    folder = options.keep or Path(tempfile.mkdtemp(prefix="stone-reading-"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "ledger.sqlite"
        if not path.exists():
            build(path, options.blocks)
        print(f"{path.stat().st_size / 2**20:.0f} MiB, {options.blocks:,} blocks", flush=True)
        missed = list(timed(folder, options.repeats))
    finally:
        if not options.keep:
            shutil.rmtree(folder)
    sys.exit(any(missed))


def timed(folder: Path, repeats: int) -> Iterator[bool]:
    """Time every command; whether each missed its goal."""
    for words, cold, goal in TIMED:
        times = []
        for _ in range(repeats):
            if cold:
                shutil.rmtree(folder / "cache" / "assembled", ignore_errors=True)
            times.append(seconds(folder, words))
        middle = statistics.median(times)
        missed = goal is not None and middle > goal
        said = f"goal {goal:.1f} s: {'missed' if missed else 'met'}" if goal else "no goal"
        state = "cold" if cold else "warm"
        print(f"stone {' '.join(words):52} {state}  {middle:6.2f} s  "
              f"({min(times):.2f}–{max(times):.2f})  {said}", flush=True)  # fmt: skip
        yield missed


def seconds(folder: Path, words: tuple[str, ...]) -> float:
    began = time.perf_counter()
    subprocess.run(
        [*STONE, *words],
        check=True,
        stdout=subprocess.DEVNULL,
        cwd=folder,
        env=os.environ | {"STONE_DATA": str(folder), "STONE_CACHE": str(folder / "cache")},
    )
    return time.perf_counter() - began


def build(path: Path, blocks: int) -> None:
    """Runs as `compare` would have kept them."""
    chance = random.Random(0)
    a_trial = blocks // (RUNS * DIALECTS * ROUNDS)
    with Ledger(path) as ledger:
        for run in range(RUNS):
            facts = RunFacts(
                0, "", f"series {run}", "compare",
                WorkloadFacts(f"workload-{run}", f"Workload {run}", 64, "accuracy"),
                RaceSettings(), this_machine(), 1.7e9 + run, words=("stone", "compare"), threads=2,
                noise_floor=0.01,
            )  # fmt: skip
            number = ledger.begin(facts, "")
            for index in range(DIALECTS):
                _cell(ledger, number, index, a_trial, chance)
            ledger.finish(number)


def _cell(ledger: Ledger, run: int, index: int, blocks: int, chance: random.Random) -> None:
    name = f"framework-{index}/eager"
    program = Program(f"# {run} {index}\n" * 150, f"program {run} {index}", "", name, 120, 9)
    ledger.keep_program(program)
    level = Level(1e-7, 1e-5, True, "fc1", "", {f"array{n}": Error(1e-7, 1e-5) for n in range(20)})
    levels = dict.fromkeys(("shape", "forward", "step", "trace"), level)
    proof = Proof(OK, program.sha, Conditions("lock"), levels)
    record = CellRecord(
        name, f"framework-{index}", "1.0", "idiomatic", program_sha=program.sha,
        conditions=Conditions("lock"), packages={f"package{n}": "1.0" for n in range(30)},
        proof=proof,
    )  # fmt: skip
    cell = ledger.open_cell(run, f"workload-{run}", record)
    ledger.end_cell(cell, OK)
    trial = Trial(
        name, 1, 0, version="1.0", cold_import_s=1.0, cold_build_s=0.1, cold_first_step_s=0.2,
        warmup_steps=20, warmup_s=0.5, peak_rss_bytes=2**28, cpu_use=1.0, wall_s=5.0,
        feeding=Feeding("", 100, (0.1, 0.11, 0.12), 100, (0.01, 0.01, 0.01)),
    )  # fmt: skip
    called = Deployment(
        OK, (0.01,) * 20, 0.1, 2**20, 0.2, 0.05,
        tuple(chance.gauss(1e-3, 1e-5) for _ in range(500)), 0.0, 1.0,
    )  # fmt: skip
    step_s = 1e-3 * (1 + index / 10)
    with transaction(ledger._connection, ledger.path) as db:
        for round in range(1, ROUNDS + 1):
            made = replace(trial, round=round, deployment=called if round <= 3 else None)
            number = db.execute(
                f'INSERT INTO trials (cell, round, place, "group", role, status, started,'
                f" {quoted(TRIAL_COLUMNS)}) VALUES (?, ?, ?, ?, ?, 'ok', 0"
                f"{', ?' * len(TRIAL_COLUMNS)})",
                (cell, round, index, index // 5, "contestant", *trial_values(made)),
            ).lastrowid
            restart = chance.gauss(1.0, 0.01)
            db.executemany(
                f"INSERT INTO blocks (trial, position, {quoted(BLOCK_COLUMNS)})"
                f" VALUES (?, ?{', ?' * len(BLOCK_COLUMNS)})",
                [
                    (number, position, *astuple(_block(step_s * restart, chance)))
                    for position in range(blocks)
                ],
            )


def _block(step_s: float, chance: random.Random) -> Block:
    wall_s = 50 * step_s * abs(chance.gauss(1.0, 0.02))
    return Block(50, wall_s, wall_s, 3, 0, 5, 2, wall_s / 10, None, None, 0.02, False)


if __name__ == "__main__":
    main()
