"""Recurrent models small enough to prove in seconds, and what a program's life with one is."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from sources import sources_of

from tensorstone.data.synthetic import synthetic
from tensorstone.dialects.emit import emit
from tensorstone.dialects.registry import dialects, lookup, select
from tensorstone.models import (
    GRU,
    LSTM,
    Adam,
    Add,
    Concat,
    Data,
    Dense,
    Dropout,
    Embedding,
    FirstLast,
    Flatten,
    LastStep,
    Model,
    Momentum,
    Recipe,
    ReLU,
    SimpleRNN,
    Tanh,
    TimeDistributed,
    Workload,
    block,
)
from tensorstone.models.described import weighted_layers
from tensorstone.models.load import find
from tensorstone.models.recipe import Optimiser
from tensorstone.models.structure import Path as Parts
from tensorstone.proof.candidate import Candidate
from tensorstone.proof.program import Programs
from tensorstone.results.proof import Proof
from tensorstone.runtime.environments.install import ensure
from tensorstone.runtime.invocation import Invocation
from tensorstone.runtime.process import Worker

SOURCE = Path(__file__).parents[2] / "src"
SMALL = Path(__file__).parents[1] / "workloads" / "small_rnn.py"
VOCABULARY = 11


@block
def stage(units: int) -> Parts:
    """One bias beside two, side by side."""
    kept = [GRU(2 * units, sequence=True, biases=2), TimeDistributed(units)]
    return [Concat([LSTM(units, sequence=True)], kept), Tanh()]


@block
def head(units: int) -> Parts:
    return [LSTM(units, bidirectional=True), Dense(units)]


def workload(
    inputs: tuple[int, ...],
    *layers: Parts,
    loss: str = "softmax-cross-entropy",
    optimiser: Optimiser | None = None,
) -> Workload:
    """Layers on numbers, or on tokens where the input is (time,)."""
    tokens = {"values": "tokens", "vocabulary": VOCABULARY} if len(inputs) == 1 else {}
    metric = "accuracy" if "entropy" in loss else "mse"
    return Workload(
        "case",
        "A case",
        Model("Net", inputs, list(layers)),
        Recipe(loss, optimiser or Adam(), batch=4, epochs=1, metric=metric),  # type: ignore[arg-type]
        Data("some", samples=64, **tokens),  # type: ignore[arg-type]
    )


CASES = {
    "stacked": find(str(SMALL)),
    "in blocks": workload((9,), Embedding(VOCABULARY, 4), stage(4), stage(3), head(2), Dense(3)),
    "joined": workload(
        (6, 4),
        SimpleRNN(2, bidirectional=True, sequence=True, biases=2),
        Dropout(0.3),
        Add([GRU(4, sequence=True), Tanh()], []),
        Concat(
            GRU(3, bidirectional=True),
            LSTM(2, biases=2),
            FirstLast(),
            [LastStep(), ReLU()],
            [TimeDistributed(2), Flatten(), Dense(3)],
        ),
        Dense(3),
        optimiser=Momentum(0.05, 0.9),
    ),
    "every step": workload(
        (5, 3),
        LSTM(4, bidirectional=True, sequence=True, biases=2),
        TimeDistributed(2, bias=False),
        loss="mean-squared",
    ),
}


def said(dialect: str, *layers: Parts, inputs: tuple[int, ...] = (6, 4)) -> str:
    """The program for some layers."""
    return emit(workload(inputs, *layers), dialects()[dialect])


def proofs(dialect: str, folder: Path, cases: Mapping[str, Workload] = CASES) -> dict[str, Proof]:
    """Every case proven, one after another in one worker."""
    (spoken,) = select([dialect])
    framework = lookup(spoken.framework)
    place = ensure(framework)
    env = framework.variables(1, place.path)
    invocation = Invocation(place.python, env, cpus=(), threads=1, workdir=folder)
    with Worker(invocation) as worker:
        programs = Programs(worker, framework.bridge, threads=1, folder=folder, timeout_s=600)
        return {
            name: Candidate(case, spoken, framework, sources_of(case, spoken), programs).proof()
            for name, case in cases.items()
        }


# Weights in, trained, out; predictions of one and of many; saved, loaded, predicted again.
LIFE = """
import importlib.util
import json
import sys

import numpy as np


def imported(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


bridge, program = imported("bridge", sys.argv[1]), imported("program", "program.py")
layers = json.load(open("layers.json"))
weights, data = dict(np.load("weights.npz")), np.load("data.npz")
x, y = bridge.to_native(data["x"]), bridge.to_native(data["y"])


def predicted(net, x):
    return bridge.outputs(program.predict(net, x))


net = program.network()
bridge.write(net, layers, weights)
before = bridge.read(net, layers)
program.train(program.learner(net), program.batches(x, y, 4))
after = bridge.read(net, layers)
together = predicted(net, x)
apart = np.concatenate([predicted(net, x[:1]), predicted(net, x[1:])])
program.save(net, "saved")
loaded = predicted(program.load("saved"), x)
np.savez("before.npz", **before)
np.savez("after.npz", **after)
np.savez("outputs.npz", together=together, apart=apart, loaded=loaded)
"""


def check_life(dialect: str, case: Workload, folder: Path, more: str = "") -> None:
    """Run a program in its framework, and hold what came out against what went in.

    `more` is run at the end, where the program's `net` is still at hand.
    """
    (spoken,) = select([dialect])
    framework = lookup(spoken.framework)
    rng = np.random.default_rng(0)
    weights = {w.name: rng.normal(0, 0.3, w.shape).astype("float32") for w in case.model.weights}
    x, y = synthetic(case, 16, seed=0)
    np.savez(folder / "weights.npz", **weights)  # type: ignore[arg-type]
    np.savez(folder / "data.npz", x=x, y=y)
    (folder / "layers.json").write_text(json.dumps(weighted_layers(case.model)), encoding="utf-8")
    (folder / "program.py").write_text(emit(case, spoken), encoding="utf-8")
    (folder / "life.py").write_text(LIFE + more, encoding="utf-8")
    place = ensure(framework)
    given = framework.variables(1, place.path)
    ended = subprocess.run(
        [place.python, "life.py", framework.bridge],
        cwd=folder,
        env={**os.environ, **given, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert ended.returncode == 0, ended.stderr
    before, after = np.load(folder / "before.npz"), np.load(folder / "after.npz")
    for name, array in weights.items():
        np.testing.assert_array_equal(before[name], array, err_msg=name)
        assert (after[name] != array).any(), f"{name} was not trained"
    outputs = np.load(folder / "outputs.npz")
    np.testing.assert_allclose(outputs["apart"], outputs["together"], rtol=0, atol=1e-5)
    # Where memory lies otherwise a library may add in another order: a rounding, not a difference.
    rounding = 8 * np.finfo(np.float32).eps * np.abs(outputs["together"]).max()
    np.testing.assert_allclose(outputs["loaded"], outputs["together"], rtol=0, atol=rounding)
