"""Runs killed at random moments and resumed: `python benchmarks/chaos.py [RUNS]`.

Each run races three programs (one of which may leak memory, fork, or die now and then) and is
struck up to three times at a random moment: the host is killed, or one of its workers is killed or
stopped. Then the same race is started again until it ends. Counted at the end: rounds that lack a
contestant, trials kept twice, processes left behind, ledgers that are damaged.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import chaos_host
import psutil

from tensorstone.race.stop import is_out
from tensorstone.results.outcome import Outcome

HOST = Path(__file__).with_name("chaos_host.py")
STRIKES = ("host killed", "worker killed", "worker stopped")
WRONGS = ("incomplete round", "kept twice", "left behind", "damaged", "unfinished")
MOST_STRIKES = 3
Kept = tuple[str, int, int, str, str]  # dialect, round, group, role, status


def main(runs: int) -> None:
    found: Counter[str] = Counter()
    for number in range(runs):
        rng = random.Random(number)
        trouble = rng.choice(sorted(chaos_host.TROUBLES))
        with tempfile.TemporaryDirectory() as folder:
            strikes = one(Path(folder), f"chaos-{os.getpid()}-{number}", trouble, rng)
            wrong = [*look(Path(folder), trouble), *orphans(f"chaos-{os.getpid()}-{number}")]
        found.update(strikes)
        found.update(wrong)
        ended = ", ".join(wrong) or "all is well"
        print(f"{number + 1:>4} {trouble:<6} {', '.join(strikes) or 'spared'}: {ended}", flush=True)
    print()
    for what in (*STRIKES, *WRONGS):
        print(f"{what:<18}{found[what]:>5}")


def one(folder: Path, mark: str, trouble: str, rng: random.Random) -> list[str]:
    """Strike and start again, until it ends by itself; what was done to it."""
    strikes: list[str] = []
    while True:
        words = [sys.executable, str(HOST), str(folder), mark, trouble]
        host = subprocess.Popen(words, stderr=subprocess.DEVNULL)
        if len(strikes) == MOST_STRIKES:
            host.wait(300)
            return strikes
        try:
            host.wait(rng.uniform(0.1, 3.0))
            return strikes  # it was faster
        except subprocess.TimeoutExpired:
            strikes.append(strike(host, mark, rng))
        if strikes[-1] == "host killed":
            host.wait()
        else:
            host.wait(300)
            return strikes


def strike(host: subprocess.Popen[bytes], mark: str, rng: random.Random) -> str:
    what = rng.choice(STRIKES)
    workers = [p for p in marked(mark) if "stone_worker" in " ".join(p.cmdline())]
    if what == "host killed" or not workers:
        host.send_signal(signal.SIGKILL)
        return "host killed"
    number = signal.SIGKILL if what == "worker killed" else signal.SIGSTOP
    with contextlib.suppress(psutil.Error):  # it has just ended
        rng.choice(workers).send_signal(number)
    return what


def marked(mark: str) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(chaos_host.MARK) == mark:
                found.append(process)
        except psutil.Error:
            continue
    return [p for p in found if p.is_running() and p.status() != psutil.STATUS_ZOMBIE]


def orphans(mark: str) -> list[str]:
    deadline = time.monotonic() + 10
    while marked(mark) and time.monotonic() < deadline:
        time.sleep(0.05)
    left = marked(mark)
    for process in left:
        process.kill()
    return ["left behind"] * len(left)


def look(folder: Path, trouble: str) -> list[str]:
    wrong = []
    with sqlite3.connect(folder / "ledger.sqlite") as db:
        if db.execute("PRAGMA integrity_check").fetchone() != ("ok",):
            return ["damaged"]
        # A host may be struck between its last word and its end: the next one then runs anew.
        runs = db.execute("SELECT id, status FROM runs").fetchall()
        if not runs or any(status != "finished" for _, status in runs):
            wrong.append("unfinished")
        for run, _ in runs:
            trials = db.execute(
                'SELECT dialect, round, "group", role, trials.status FROM trials'
                " JOIN cells ON cells.id = trials.cell"
                " WHERE run = ? AND trials.status <> 'interrupted' ORDER BY trials.id",
                (run,),
            ).fetchall()
            wrong += look_at_run(trials, trouble)
    return wrong


def look_at_run(trials: list[Kept], trouble: str) -> list[str]:
    wrong = []
    if max(Counter(t[:4] for t in trials).values(), default=1) > 1:
        wrong.append("kept twice")
    own = [trial for trial in trials if trial[3] == "contestant"]
    for number in range(1, 1 + max((trial[1] for trial in own), default=0)):
        there = {dialect for dialect, round, *_ in own if round == number}
        expected = {name for name in ("one", "two", trouble) if not _out(own, name, number)}
        # After three rounds only those run again whose order is open.
        if number <= 3 and not expected <= there:
            wrong.append("incomplete round")
    return wrong


def _out(trials: list[Kept], name: str, number: int) -> bool:
    """Whether it runs no more by this round: it failed twice, or hung before it ever succeeded."""
    return is_out([Outcome(status) for d, r, *_, status in trials if d == name and r < number])


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
