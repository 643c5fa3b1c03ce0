"""The usual way, by the usual tools: pyperf and hyperfine compare two programs, one after the
other, in fresh processes, and a t-test says whether they differ."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev
from typing import Protocol

from tensorstone.bench.plan import Contestant

ARM = Path(__file__).with_name("arm.py")
ALPHA = 0.05  # both tools' own
FEWEST_RUNS = 3  # processes an arm


@dataclass(frozen=True)
class Verdict:
    """What the second was said to be; how long that took; how processes varied."""

    claim: str  # "slower", "faster", or nothing
    seconds: float
    runs: int  # processes an arm
    spread: float  # standard deviation of log means of processes

    @property
    def run_s(self) -> float:
        """What one more process of each arm costs."""
        return self.seconds / self.runs


def install_pyperf(folder: Path) -> Path:
    """Beside the frameworks, not into them."""
    place = folder / "pyperf"
    words = ["uv", "pip", "install", "-q", "--target", str(place), "pyperf"]
    subprocess.run([sys.executable, "-m", *words], check=True)
    return place


class Tool(Protocol):
    def __call__(self, plain: Contestant, slow: Contestant, runs: int) -> Verdict: ...


@dataclass(frozen=True)
class Answers:
    """Of one tool: on an arm that is slower, and on one that is not."""

    slower: list[Verdict]
    equals: list[Verdict]


def ask(tool: Tool, plain: Contestant, slow: Contestant, seconds: float, tries: int) -> Answers:
    """So many times each, with as many processes as fit into this time, by a small try before."""
    run_s = tool(plain, slow, FEWEST_RUNS).run_s
    runs = max(FEWEST_RUNS, int(seconds / run_s))
    answers = Answers([], [])
    for _ in range(tries):
        answers.slower.append(tool(plain, slow, runs))
        answers.equals.append(tool(plain, plain, runs))
    return answers


def pyperf(plain: Contestant, slow: Contestant, runs: int, folder: Path, library: Path) -> Verdict:
    start = time.monotonic()
    files = []
    for name, contestant in (("plain", plain), ("slow", slow)):
        files.append(folder / f"{name}.json")
        files[-1].unlink(missing_ok=True)
        words = [str(contestant.invocation.python), str(ARM), "--copy-env", "-q"]
        words += ["--processes", str(runs), "-o", str(files[-1])]
        env = {**_environment(contestant), "PYTHONPATH": str(library)}
        subprocess.run(words, env=env, check=True, stdout=subprocess.DEVNULL)
    seconds = time.monotonic() - start
    said = subprocess.run(
        [str(plain.invocation.python), "-m", "pyperf", "compare_to", *map(str, files)],
        env={**os.environ, "PYTHONPATH": str(library)},
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    spread = _spread([_pyperf_means(file) for file in files])
    claim = next((word for word in ("slower", "faster") if word in said), "")
    return Verdict(claim, seconds, runs, spread)


def _pyperf_means(file: Path) -> list[float]:
    """One value for each process that measured; those that calibrated have none."""
    (benchmark,) = json.loads(file.read_text(encoding="utf-8"))["benchmarks"]
    return [fmean(run["values"]) for run in benchmark["runs"] if run.get("values")]


def hyperfine(plain: Contestant, slow: Contestant, runs: int, folder: Path, steps: int) -> Verdict:
    start = time.monotonic()
    times = []
    for contestant in (plain, slow):
        file = folder / "hyperfine.json"
        words = ["hyperfine", "-N", "--style", "none", "--warmup", "1", "--runs", str(runs)]
        words += ["--export-json", str(file), f"{contestant.invocation.python} {ARM} {steps}"]
        subprocess.run(words, env=_environment(contestant), check=True)
        (result,) = json.loads(file.read_text(encoding="utf-8"))["results"]
        times.append(result["times"])
    return Verdict(_claim(*times), time.monotonic() - start, runs, _spread(times))


def seconds_needed(verdicts: Sequence[Verdict], share: float, power: float = 0.95) -> float:
    """How long such a tool would need to find a difference this large this often: more processes of
    the spread seen, by the usual formula for two means. Computed, not measured."""
    from statistics import NormalDist

    quantiles = NormalDist().inv_cdf(1 - ALPHA / 2) + NormalDist().inv_cdf(power)
    variance = fmean(verdict.spread**2 for verdict in verdicts)
    runs = 2 * variance * (quantiles / math.log1p(share)) ** 2
    return max(runs, 2.0) * fmean(verdict.run_s for verdict in verdicts)


def _environment(contestant: Contestant) -> dict[str, str]:
    arm = {
        "program": str(contestant.program),
        "data": str(contestant.data),
        "batch": contestant.batch,
    }
    return {**contestant.invocation.environment(os.environ), "STONE_ARM": json.dumps(arm)}


def _spread(arms: list[list[float]]) -> float:
    return math.sqrt(fmean(stdev(map(math.log, values)) ** 2 for values in arms))


def _claim(plain: list[float], slow: list[float]) -> str:
    """Welch's test, as in hyperfine's own scripts."""
    from scipy.stats import ttest_ind

    t, p = ttest_ind(slow, plain, equal_var=False)
    return "" if p >= ALPHA else "slower" if t > 0 else "faster"
