"""This machine's noise floor: the same program raced against itself.

A difference between two dialects that is no larger is not called a difference. Measured once and
kept for a day, or again whenever `stone doctor` is asked.
"""

from __future__ import annotations

import json
import math
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from tensorstone.analysis.ranking import against_itself
from tensorstone.dialects.registry import frameworks
from tensorstone.race import rounds
from tensorstone.race.plan import Contestant, Plan, Settings
from tensorstone.results.events import Observer, Silent
from tensorstone.runtime.invocation import Invocation
from tensorstone.session.entries import processors
from tensorstone.support.folders import cache_dir
from tensorstone.support.scratch import scratch

PROGRAM = Path(__file__).with_name("noise_program.py")
DAY_S = 86_400.0
BUSY = 0.1
SETTINGS = Settings(budget_s=15, precision=0.0, turns=8, min_rounds=5, warmup_steps=50)


@dataclass(frozen=True)
class Noise:
    """What a race between equals showed."""

    floor: float  # a ratio closer to 1 than this is noise
    ratio: float
    low: float | None
    high: float | None
    rounds: int
    measured: float  # Unix seconds
    threads: int


def known(threads: int) -> Noise | None:
    """The floor measured on this machine within the last day with as many threads."""
    try:
        noise = Noise(**json.loads(_kept(threads).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    # A floor measured while the machine was busy says nothing about it now.
    fresh = time.time() - noise.measured < DAY_S and noise.floor < BUSY
    return noise if fresh else None


def measure(threads: int, observer: Observer | None = None) -> Noise | None:
    """Race the noise program against itself and keep what it showed; None if it could not run."""
    import numpy as np

    with scratch() as folder:
        weights, data = folder / "weights.npz", folder / "data.npz"
        np.savez(weights)
        np.savez(data, x=np.zeros((64, 1), np.float32), y=np.zeros(64, np.float32))
        itself = Contestant(
            dialect="itself",
            program=PROGRAM,
            bridge=frameworks()["null"].bridge,
            layers=[],
            invocation=Invocation(
                Path(sys.executable), {}, processors()[:threads], threads, folder
            ),
            weights=weights,
            data=data,
            batch=1,
        )
        result = rounds.race(Plan("noise", (itself,), SETTINGS), observer or Silent())
    found = _noise(result, threads)
    if found is None:
        return None
    _kept(threads).write_text(json.dumps(asdict(found)), encoding="utf-8")
    return found


def _noise(result: rounds.Race, threads: int) -> Noise | None:
    shown = against_itself(result.trials)
    if shown is None:
        return None
    ratio = shown.ratio
    ends = [end for end in (ratio.low, ratio.high) if end is not None] or [ratio.value]
    floor = math.expm1(max(abs(math.log(end)) for end in ends))
    return Noise(floor, ratio.value, ratio.low, ratio.high, ratio.samples, time.time(), threads)


def _kept(threads: int) -> Path:
    return cache_dir() / f"noise-{threads}.json"
