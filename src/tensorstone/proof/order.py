"""Are samples taken in order? An experiment, since no one can compute another's shuffle.

Plain SGD runs over two batches' samples. With batches of four there are seventy ways of drawing
them; if one that is not ours leads to the program's weights, the samples were shuffled. A shuffle
that happens to leave each sample in its batch escapes, once in seventy times.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from tensorstone.models.recipe import SGD
from tensorstone.oracle import Arrays, gradients
from tensorstone.oracle.optimisers import Updates
from tensorstone.proof.probed import ProbedProgram
from tensorstone.proof.probing.probe import Probe
from tensorstone.proof.probing.run import ProbeRun
from tensorstone.proof.variant import Variant

# Two orders part by far more, rounding by far less. Relative to the weight's own change, or to a
# small part of the largest one: some weights (a bias before a batch norm) change by rounding only.
TOLERANCE = 1e-2
SMALL_PART = 1e-3


@dataclass(frozen=True)
class _Path:
    """Training that has come this far, and the samples it has not seen."""

    weights: Arrays
    left: tuple[int, ...]
    taken: tuple[int, ...] = ()


def shuffled(subject: ProbedProgram, truth: Variant, probe: Probe) -> bool:
    """Whether the program trained on the samples in an order that is not theirs."""
    run, samples = probe.trace, 2 * probe.batch
    rate = probe.step_rate / 16  # far enough for one batch to change what the next one does
    subject.start(run.weights)
    subject.learner(rate)
    subject.train(run.x[:samples], run.y[:samples], probe.batch)
    reached = subject.read()
    case = replace(truth.case, optimiser=SGD(rate))
    for path in _paths(replace(truth, case=case), run, samples):
        if _near(reached, path.weights, run.weights):
            return path.taken != tuple(range(samples))
    return False


def _paths(variant: Variant, run: ProbeRun, samples: int) -> Iterator[_Path]:
    """Every way of drawing the batches, and where it leads; depth first, ours first."""
    waiting = [_Path(run.weights, tuple(range(samples)))]
    while waiting:
        path = waiting.pop()
        if not path.left:
            yield path
            continue
        for batch in reversed(list(combinations(path.left, variant.case.batch))):
            waiting.append(_after(path, batch, variant, run))


def _after(path: _Path, batch: tuple[int, ...], variant: Variant, run: ProbeRun) -> _Path:
    case, rows = variant.case, list(batch)
    _, found, statistics = gradients(case, path.weights, run.x[rows], run.y[rows], np.float32)
    left = tuple(i for i in path.left if i not in batch)
    weights = Updates(case).apply(path.weights, found) | statistics
    return _Path(weights, left, path.taken + batch)


def _near(reached: Arrays, expected: Arrays, start: Arrays) -> bool:
    changes = {name: _most(array - start[name]) for name, array in expected.items()}
    least = SMALL_PART * max(changes.values())
    return all(
        _most(reached[name] - array) <= TOLERANCE * max(changes[name], least)
        for name, array in expected.items()
    )


def _most(array: np.ndarray) -> float:
    return float(np.abs(array).max(initial=0.0))
