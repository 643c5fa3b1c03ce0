"""Nonsense at every boundary: `python benchmarks/fuzz.py [CASES] [--kind KIND] [--seed N]`.

Cases are command lines, workload files, lines and files of workers, rows of the ledger, and cache
files, each changed at random (fuzz_cases.py). Every case runs in a process of its own, forked from
this one. Counted are tracebacks (an exception that is no message to the user), hangs (no end within
20 s), and lost cells (one that had nothing wrong with it is missing from the result). A case that
failed is run again with `--kind KIND --seed N`, and 1 for CASES.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import fuzz_cases
from fuzz_cases import KINDS, Lost

LIMIT_S = 20.0
TRACEBACK, LOST = 99, 98  # exit codes of a case that failed
WRONGS = {TRACEBACK: "traceback", LOST: "lost cell"}
ROW = "{:<12}{:>8}{:>13}{:>8}{:>12}{:>9}"


@dataclass
class Case:
    """One under way."""

    kind: str
    seed: int
    folder: Path
    until: float = field(default_factory=lambda: time.monotonic() + LIMIT_S)


def main() -> None:
    options = asked()
    shares = {options.kind: 1.0} if options.kind else {k: share for k, (share, _) in KINDS.items()}
    print(ROW.format("kind", "cases", "tracebacks", "hangs", "lost cells", "s"), flush=True)
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        fuzz_cases.prepare(Path(name))
        for kind, share in shares.items():
            began, count = time.monotonic(), max(1, round(options.cases * share))
            seeds = range(options.seed, options.seed + count)
            wrong = Counter(run(kind, seeds, Path(name), options.jobs))
            found += wrong
            row = (kind, count, wrong["traceback"], wrong["hang"], wrong["lost cell"])
            print(ROW.format(*row, f"{time.monotonic() - began:.0f}"), flush=True)
    sys.exit(bool(found))


def asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("cases", nargs="?", type=int, default=10_000)
    parser.add_argument("--kind", choices=list(KINDS))
    parser.add_argument("--seed", type=int, default=0, help="of the first case of each kind")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    return parser.parse_args()


def run(kind: str, seeds: range, base: Path, jobs: int) -> Iterator[str]:
    """What went wrong, so many cases at a time."""
    running: dict[int, Case] = {}
    waiting = iter(seeds)
    while True:
        while len(running) < jobs and (seed := next(waiting, None)) is not None:
            case = Case(kind, seed, Path(tempfile.mkdtemp(dir=base)))
            running[fork(case)] = case
        if not running:
            return
        for pid, case in list(running.items()):
            if wrong := ended(pid, case):
                del running[pid]
                yield from report(case, wrong)
                shutil.rmtree(case.folder, ignore_errors=True)
        time.sleep(0.002)


def ended(pid: int, case: Case) -> str:
    """How it ended; empty while it runs."""
    if time.monotonic() > case.until:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        return "hang"
    done, status = os.waitpid(pid, os.WNOHANG)
    if not done:
        return ""
    code = os.waitstatus_to_exitcode(status)
    return "traceback" if code < 0 else WRONGS.get(code, "well")


def report(case: Case, wrong: str) -> Iterator[str]:
    if wrong == "well":
        return
    said = (case.folder / "stderr").read_text(encoding="utf-8", errors="replace")
    print(f"{wrong}: --kind {case.kind} --seed {case.seed}\n{said[-3000:]}", file=sys.stderr)
    yield wrong


def fork(case: Case) -> int:
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        os._exit(child(case))
    return pid


def child(case: Case) -> int:
    """The case in a process group of its own, its output in files."""
    os.setsid()
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(case.folder / name, os.O_WRONLY | os.O_CREAT), number)
    try:
        KINDS[case.kind][1](random.Random(f"{case.kind}/{case.seed}"), case.folder)
        sys.stdout.flush()
        return 0
    except SystemExit:
        return 0
    except Lost as lost:
        print(f"lost: {lost}", file=sys.stderr, flush=True)
        return LOST
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        return TRACEBACK


if __name__ == "__main__":
    main()
