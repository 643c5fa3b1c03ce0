"""Whatever the framework, its bridge runs emitted programs in float64, or says why it cannot."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest
from emitted import DIALECTS

from tensorstone.dialects.emit import emit, supports
from tensorstone.dialects.registry import Dialect, Framework, dialects, lookup
from tensorstone.models.load import find
from tensorstone.models.workload import Workload
from tensorstone.proof.candidate import Candidate
from tensorstone.proof.double_precision import SecondOpinion
from tensorstone.proof.program import Programs
from tensorstone.proof.sources import write
from tensorstone.runtime.environments.install import ensure
from tensorstone.runtime.invocation import Invocation
from tensorstone.runtime.process import Worker

pytestmark = pytest.mark.frameworks

WORKLOADS = Path(__file__).parents[1] / "workloads"
# Batch norm under Adam, recurrent layers under Adam, batch norm under momentum.
CASES = ("small_cnn", "small_rnn", "residual")
# Words of the reason, by framework or dialect.
ABSENT = {
    "caffe2": "float32 alone",
    "dynet": "float32 alone",
    "mindspore": "take no float64",
    "mlx": "as exact in float64 as in float32",
    "oneflow/graph": "casts every gradient",
}
# What is wrong in float32 is wrong in float64: recurrent layers that are not computed as they
# should be (docs/findings.md).
WRONG = {("keras2/mxnet-rolled", "small_rnn"), ("keras2/cntk-rolled", "small_rnn")}


def said_by(dialect: Dialect) -> dict[str, Workload]:
    """The cases that the dialect can say."""
    found = {name: find(str(WORKLOADS / f"{name}.py")) for name in CASES}
    return {name: case for name, case in found.items() if not supports(case, dialect)}


def opinions(dialect: Dialect, folder: Path) -> dict[str, SecondOpinion]:
    """Float64's of every case, whatever float32 says, from one worker."""
    framework = lookup(dialect.framework)
    place = ensure(framework)
    invocation = Invocation(place.python, framework.variables(1, place.path), (), 1, folder)
    with Worker(invocation) as worker:
        programs = Programs(worker, framework.bridge, 1, folder, 600, "float64")
        return {
            name: opinion(case, dialect, framework, programs)
            for name, case in said_by(dialect).items()
        }


def opinion(
    case: Workload, dialect: Dialect, framework: Framework, programs: Programs
) -> SecondOpinion:
    sources = write(case, dialect, emit(case, dialect))
    doubled = lambda: nullcontext(programs)  # noqa: E731
    candidate = Candidate(case, dialect, framework, sources, programs, doubled=doubled)
    return candidate._second_opinion()


@pytest.mark.parametrize("dialect", [dialect.name for dialect in DIALECTS])
def test_a_correct_program_agrees_in_float64_or_its_bridge_says_why_not(
    dialect: str, tmp_path: Path
):
    spoken = dialects()[dialect]
    absent = ABSENT.get(dialect) or ABSENT.get(spoken.framework)

    for name, found in opinions(spoken, tmp_path).items():
        if absent:
            assert absent in found.absent, name
            continue
        assert not found.absent, name
        assert found.changed
        wrong = {n: (one.worst, one.ratio) for n, one in found.levels.items() if not one.passed}
        assert bool(wrong) == ((dialect, name) in WRONG), f"{name}: {wrong}"
