"""Whatever the framework, its bridge runs emitted programs in float64, or says why it cannot."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from emitted import DIALECTS
from sources import sources_of

from tensorstone.dialects.emit import supports
from tensorstone.dialects.registry import dialects, lookup
from tensorstone.models import GRU, LSTM, Adam, Data, Dense, Embedding, Model, Recipe, Workload
from tensorstone.models.load import find
from tensorstone.proof.candidate import Candidate
from tensorstone.proof.double_precision import SecondOpinion
from tensorstone.proof.program import Programs
from tensorstone.runtime.environments.install import ensure
from tensorstone.runtime.invocation import Invocation
from tensorstone.runtime.process import Worker

pytestmark = pytest.mark.frameworks

WORKLOADS = Path(__file__).parents[1] / "workloads"
# A word of the reason, by dialect, and by workload where another of them can be computed.
ABSENT: dict[str, dict[str, str]] = {}


def cases(dialect: str) -> dict[str, Workload]:
    """Batch norm under Adam, under momentum, and recurrent layers, as far as they can be said."""
    found = {path.stem: find(str(path)) for path in sorted(WORKLOADS.glob("*.py"))}
    wanted = {name: found[name] for name in ("small_cnn", "small_rnn", "residual")}
    return {name: case for name, case in wanted.items() if supports(case, dialects()[dialect])}


def opinion(dialect: str, case: Workload, folder: Path) -> SecondOpinion:
    """Float64's, whatever float32 says."""
    spoken = dialects()[dialect]
    framework = lookup(spoken.framework)
    place = ensure(framework)
    invocation = Invocation(place.python, framework.variables(1, place.path), (), 1, folder)

    @contextmanager
    def doubled() -> Iterator[Programs]:
        with Worker(invocation) as worker:
            yield Programs(worker, framework.bridge, 1, folder, 600, "float64")
