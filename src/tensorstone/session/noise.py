"""This machine's noise floor: the same program raced against itself.

A difference between two dialects that is no larger is not called a difference. Measured once and
kept for a day, or again whenever `stone doctor` is asked.
"""

from __future__ import annotations

import contextlib
import math
import sys
import time
from pathlib import Path

from tensorstone.analysis.controls import aa_control
from tensorstone.analysis.scores import Scores
from tensorstone.dialects.registry import frameworks
from tensorstone.proof.gate import exempt
from tensorstone.race import rounds
from tensorstone.race.plan import Contestant, Plan
from tensorstone.results.codec import Damaged, from_json, to_json
from tensorstone.results.conditions import Conditions
from tensorstone.results.events import Observer, SilentObserver
from tensorstone.results.program import Program, sha
from tensorstone.results.run import Noise
from tensorstone.results.settings import RaceSettings
from tensorstone.results.subject import Subject
from tensorstone.runtime.invocation import Invocation
from tensorstone.session.entries import processors
from tensorstone.session.input_files import Inputs
from tensorstone.support.folders import cache_dir
from tensorstone.support.scratch import scratch

PROGRAM = Path(__file__).with_name("noise_program.py")
DAY_S = 86_400.0
BUSY = 0.1
LARGEST = 10_000  # bytes of a file that can be a floor
SETTINGS = RaceSettings(budget_s=15, precision=0.0, turns=8, min_rounds=5, warmup_steps=50)


def known(threads: int) -> Noise | None:
    """The floor measured on this machine within the last day with as many threads."""
    try:
        path = _kept(threads)
        if not path.is_file() or path.stat().st_size > LARGEST:
            return None
        noise = from_json(Noise, path.read_bytes())
    except (OSError, Damaged):
        return None
    # A floor measured while the machine was busy says nothing about it now.
    fresh = time.time() - noise.measured < DAY_S and noise.floor < BUSY
    return noise if fresh else None


def measure(threads: int, observer: Observer | None = None) -> Noise | None:
    """Race the noise program against itself and keep what it showed; None if it could not run."""
    with scratch() as folder:
        itself = _contestant(threads, folder)
        result = rounds.race(Plan("noise", (itself,), SETTINGS), observer or SilentObserver())
    found = _noise(result, threads)
    if found is not None:
        with contextlib.suppress(OSError):  # without room it is measured again next time
            _kept(threads).write_text(to_json(found), encoding="utf-8")
    return found


def _contestant(threads: int, folder: Path) -> Contestant:
    import numpy as np

    inputs = Inputs(folder / "weights.npz", folder / "data.npz")
    np.savez(inputs.weights)
    np.savez(inputs.data, x=np.zeros((64, 1), np.float32), y=np.zeros(64, np.float32))
    text = PROGRAM.read_text(encoding="utf-8")
    program = Program(text, sha(text), "", "itself")
    conditions = Conditions("", threads=threads)
    proof = exempt(program, conditions, "the harness's own")
    return Contestant(
        dialect="itself",
        subject=Subject(program, proof, conditions),
        program=PROGRAM,
        bridge=frameworks()["null"].bridge,
        layers=[],
        invocation=Invocation(Path(sys.executable), {}, processors()[:threads], threads, folder),
        weights=inputs.weights,
        data=inputs.data,
    )


def _noise(result: rounds.Race, threads: int) -> Noise | None:
    control = aa_control(Scores(result.trials))
    if control is None:
        return None
    ratio = control.ratio
    ends = [end for end in (ratio.low, ratio.high) if end is not None] or [ratio.value]
    floor = math.expm1(max(abs(math.log(end)) for end in ends))
    return Noise(floor, ratio.value, ratio.low, ratio.high, ratio.n, time.time(), threads)


def _kept(threads: int) -> Path:
    return cache_dir() / f"noise-{threads}.json"
