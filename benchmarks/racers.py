"""Contestants for the benchmarks of the referee itself: real dialects on small workloads, and
programs of NumPy alone whose steps are fast or slow."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from tensorstone.dialects.registry import OWN_ROOMS, dialects
from tensorstone.models.load import find
from tensorstone.proof.gate import exempt
from tensorstone.race.plan import Contestant, Plan
from tensorstone.race.rounds import Race, race
from tensorstone.results.conditions import Conditions
from tensorstone.results.events import SilentObserver
from tensorstone.results.program import Program, sha
from tensorstone.results.settings import RaceSettings
from tensorstone.results.subject import Subject
from tensorstone.runtime.invocation import Invocation
from tensorstone.runtime.machine import affinity
from tensorstone.session.contestants import contestants
from tensorstone.session.entries import enter
from tensorstone.session.input_files import write_inputs
from tensorstone.session.proving import Proving, prove_all
from tensorstone.session.watch import SilentProofs

NOTHING = "    return [0.0 for _ in batches]\n"
PRODUCT = """\
    import numpy as np

    a = learner.setdefault("a", np.ones(({size}, {size}), np.float32))
    losses = []
    for _ in batches:
        for _ in range({products}):
            loss = float((a @ a)[0, 0])
        losses.append(loss)
    return losses
"""


def null_program(train: str) -> str:
    """The null room's program with another body for `train`."""
    source = (OWN_ROOMS / "null" / "program.py.jinja").read_text(encoding="utf-8")
    assert NOTHING in source
    return source.replace(NOTHING, train)


def harness_subject(program: Path, threads: int, batch: int = 1) -> Subject:
    """A program of the benchmarks' own: it computes nothing that could be proven."""
    text = program.read_text(encoding="utf-8")
    made, conditions = Program(text, sha(text), "", program.stem), Conditions("", threads=threads)
    proof = exempt(made, conditions, "the benchmark's own")
    return Subject(made, proof, conditions, batch=batch)


def harness_contestant(
    name: str, program: Path, invocation: Invocation, weights: Path, data: Path, batch: int = 1
) -> Contestant:
    """Such a program as a contestant, under the null room's bridge."""
    return Contestant(
        dialect=name,
        subject=harness_subject(program, invocation.threads, batch),
        program=program,
        bridge=OWN_ROOMS / "null" / "bridge.py",
        layers=[],
        invocation=invocation,
        weights=weights,
        data=data,
    )


def numpy_racer(size: int, folder: Path, products: int = 1) -> Contestant:
    """A step is so many products of matrices of this size."""
    name = f"numpy {size}" + (f", {products} products" if products > 1 else "")
    program = folder / f"{name}.py"
    program.write_text(null_program(PRODUCT.format(size=size, products=products)), encoding="utf-8")
    data, weights = folder / "data.npz", folder / "weights.npz"
    np.savez(data, x=np.zeros((64, 1), np.float32), y=np.zeros(64, np.float32))
    np.savez(weights)
    invocation = Invocation(Path(sys.executable), {}, affinity(), len(affinity()), folder)
    return harness_contestant(name, program, invocation, weights, data)


def racer(workload: str, dialect: str, folder: Path, memory_kept: bool = True) -> Contestant:
    """A dialect on a workload, proven."""
    (entry,) = enter([find(workload)], [dialects()[dialect]])
    kept = "kept" if memory_kept else "default"
    place = folder / f"{workload}-{dialect}-{kept}".replace("/", "-")
    place.mkdir()
    threads = len(affinity())
    proven = prove_all([Proving(entry, threads, memory_kept)], SilentProofs())
    inputs = write_inputs(entry.workload, place)
    (made,) = contestants(proven, inputs, threads, place, memory_kept)
    return replace(made, dialect=f"{workload} in {dialect}, memory {kept}")


def copies(contestant: Contestant, count: int) -> list[Contestant]:
    """The same contestant under several names."""
    return [replace(contestant, dialect=f"{contestant.dialect} #{n}") for n in range(1, count + 1)]


def assorted(folder: Path) -> list[Contestant]:
    """Fast steps and slow ones, of NumPy and of dialects, with memory kept and not."""
    return [
        numpy_racer(64, folder),
        racer("lenet", "pytorch/eager", folder),
        racer("lenet", "pytorch/eager", folder, memory_kept=False),
        racer("mlp-mnist", "pytorch/eager", folder),
        numpy_racer(512, folder),
        racer("lenet", "mxnet/gluon-static", folder),
        racer("mlp-mnist", "jax/flax", folder, memory_kept=False),
    ]


def raced(contestants: Sequence[Contestant], settings: RaceSettings) -> Race:
    """The race that `stone compare` would run; it ends here if one of them fails."""
    done = race(Plan("benchmark", tuple(contestants), settings), SilentObserver())
    for trial in done.trials:
        if not trial.outcome.ok:
            raise SystemExit(f"{trial.dialect}: {trial.outcome.reason}")
    return done
