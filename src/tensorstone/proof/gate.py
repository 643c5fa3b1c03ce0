"""The gate: a program is asked for its numbers, and passes or is told what is wrong with it.

What it cannot see: a deviation smaller than what float32 loses anyway (a weight decay times rate
below one rounding of the weights); what only large batches or long training show; whether
dropout's masks are good random numbers.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from functools import cache as once
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from tensorstone.dialects.emit import Unsupported
from tensorstone.dialects.registry import Dialect, lookup
from tensorstone.models.workload import Workload
from tensorstone.proof import cache
from tensorstone.proof.candidate import Candidate
from tensorstone.proof.probing.probe import make_probe
from tensorstone.proof.program import Precision, Programs
from tensorstone.proof.sources import Edit, write
from tensorstone.results.conditions import Conditions
from tensorstone.results.outcome import OK, Outcome
from tensorstone.results.program import Program
from tensorstone.results.proof import Proof
from tensorstone.runtime.failure import Failure
from tensorstone.runtime.invocation import Invocation
from tensorstone.runtime.process import Worker

TIMEOUT_S = 600.0  # of one request: a first step may compile for minutes


def prove(
    workload: Workload,
    dialect: Dialect,
    program: Program,
    invocation: Invocation,
    conditions: Conditions,
    edit: Edit | None = None,
    timeout_s: float = TIMEOUT_S,
) -> Proof:
    """Prove this very text under these conditions, in one worker, or find the proof in the cache.

    `edit` says how the text differs from what the room emits, if it does.
    """
    try:
        sources = write(workload, dialect, program.text, edit)
    except Unsupported as reason:
        return Proof(Outcome("unsupported", str(reason)))
    framework = lookup(dialect.framework)
    name = cache.key(sources, framework, dialect, conditions, make_probe(workload))
    if kept := cache.find(name):
        return replace(kept, program_sha=program.sha, conditions=conditions)
    with tempfile.TemporaryDirectory(dir=invocation.workdir) as folder:
        opened = partial(_programs, invocation, framework.bridge, Path(folder), timeout_s=timeout_s)
        try:
            with ExitStack() as workers:
                # Started when a second opinion is first asked for, and kept for the diagnosis.
                double = once(lambda: workers.enter_context(opened("float64")))
                made = Candidate(
                    workload,
                    dialect,
                    framework,
                    sources,
                    workers.enter_context(opened("float32")),
                    edit=edit,
                    doubled=lambda: nullcontext(double()),
                ).proof()
        except Failure as failure:
            return Proof(failure.outcome, program.sha, conditions)
    proof = replace(made, program_sha=program.sha, conditions=conditions)
    cache.keep(name, proof)
    return proof


@contextmanager
def _programs(
    invocation: Invocation, bridge: Path, folder: Path, precision: Precision, timeout_s: float
) -> Iterator[Programs]:
    """A worker of its own, in which everything is computed in this precision."""
    own = folder / precision
    own.mkdir(exist_ok=True)  # the diagnosis may ask again after the second opinion
    with Worker(invocation) as worker:
        yield Programs(worker, bridge, invocation.threads, own, timeout_s, precision)


def exempt(program: Program, conditions: Conditions, why: str) -> Proof:
    """For a program of the harness's own, which computes nothing that could be proven."""
    return Proof(OK, program.sha, conditions, exempt=why)
