"""The usual way, by the usual tools: pyperf and hyperfine time two programs in fresh processes, one
program after the other, and a t-test says whether they differ."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, Protocol

from stretches import LongRun, Values, flat

from tensorstone.race.plan import Contestant

ARM = Path(__file__).with_name("arm.py")
FEWEST_RUNS = 3  # processes an arm
PIECES = 5  # of a long run, at least
HYPERFINE_S = 5.0  # of steps in a command: its start should not be most of it
ALPHA = 0.05  # of hyperfine's own scripts, and of pyperf


class Tool(Protocol):
    @property
    def name(self) -> str: ...
    def measure(self, contestant: Contestant, runs: int) -> list[Values]:
        """The values of each of so many processes."""

    def differ(self, first: Values, second: Values) -> bool: ...


class Pyperf:
    name = "pyperf"

    def __init__(self, folder: Path) -> None:
        """Installed beside the frameworks, not into them."""
        self._library, self._file = folder / "pyperf", folder / "pyperf.json"
        words = ["uv", "pip", "install", "-q", "--target", str(self._library), "pyperf"]
        subprocess.run([sys.executable, "-m", *words], check=True)
        sys.path.append(str(self._library))
        self._utils: Any = importlib.import_module("pyperf._utils")

    def measure(self, contestant: Contestant, runs: int) -> list[Values]:
        self._file.unlink(missing_ok=True)
        words = [str(contestant.invocation.python), str(ARM), "--copy-env", "-q"]
        words += ["--processes", str(runs), "-o", str(self._file)]
        env = {**_environment(contestant), "PYTHONPATH": str(self._library)}
        subprocess.run(words, env=env, check=True, stdout=subprocess.DEVNULL)
        (benchmark,) = json.loads(self._file.read_text(encoding="utf-8"))["benchmarks"]
        # Those that only calibrated have no values.
        return [run["values"] for run in benchmark["runs"] if run.get("values")]

    def differ(self, first: Values, second: Values) -> bool:
        """What `pyperf compare_to` asks of all values of all processes."""
        return bool(self._utils.is_significant(first, second)[0])


class Hyperfine:
    name = "hyperfine"

    def __init__(self, folder: Path, step_s: float) -> None:
        self._file, self._steps = folder / "hyperfine.json", round(HYPERFINE_S / step_s)

    def measure(self, contestant: Contestant, runs: int) -> list[Values]:
        words = ["hyperfine", "-N", "--style", "none", "--warmup", "1", "--runs", str(runs)]
        words += ["--export-json", str(self._file)]
        words += [f"{contestant.invocation.python} {ARM} {self._steps}"]
        subprocess.run(words, env=_environment(contestant), check=True)
        (result,) = json.loads(self._file.read_text(encoding="utf-8"))["results"]
        return [[seconds] for seconds in result["times"]]

    def differ(self, first: Values, second: Values) -> bool:
        """Welch's test, as in hyperfine's own scripts."""
        from scipy.stats import ttest_ind

        return bool(ttest_ind(first, second, equal_var=False).pvalue < ALPHA)


@dataclass(frozen=True)
class Verdict:
    """What the second was said to be, and how long that took."""

    claim: str  # "slower", "faster", or nothing
    seconds: float


@dataclass(frozen=True)
class Answers:
    """Of one tool: on an arm that is slower, and on one that is not."""

    slower: list[Verdict]
    equals: list[Verdict]


def ask(tool: Tool, plain: Contestant, slow: Contestant, seconds: float, tries: int) -> Answers:
    """So many times each, with as many processes as fit into this time."""
    runs = _runs(tool, plain, seconds / 2)
    answers = Answers([], [])
    for _ in range(tries):
        answers.slower.append(_verdict(tool, plain, slow, runs))
        answers.equals.append(_verdict(tool, plain, plain, runs))
    return answers


def long_run(tool: Tool, contestant: Contestant, seconds: float) -> LongRun:
    """In pieces, since how many processes fit is not well known before."""
    runs = _runs(tool, contestant, seconds / PIECES)
    processes: list[Values] = []
    start = time.monotonic()
    while (spent_s := time.monotonic() - start) < seconds:
        processes += tool.measure(contestant, runs)
    return LongRun(tool.name, contestant.dialect, processes, spent_s, tool.differ)


def _runs(tool: Tool, contestant: Contestant, seconds: float) -> int:
    """How many processes fit, by a small try."""
    start = time.monotonic()
    tool.measure(contestant, FEWEST_RUNS)
    return max(FEWEST_RUNS, int(seconds * FEWEST_RUNS / (time.monotonic() - start)))


def _verdict(tool: Tool, plain: Contestant, slow: Contestant, runs: int) -> Verdict:
    start = time.monotonic()
    first, second = (flat(tool.measure(arm, runs)) for arm in (plain, slow))
    seconds = time.monotonic() - start
    if not tool.differ(first, second):
        return Verdict("", seconds)
    return Verdict("slower" if fmean(second) > fmean(first) else "faster", seconds)


def _environment(contestant: Contestant) -> dict[str, str]:
    arm = {
        "program": str(contestant.program),
        "data": str(contestant.data),
        "batch": contestant.batch,
    }
    return {**contestant.invocation.environment(os.environ), "STONE_ARM": json.dumps(arm)}
