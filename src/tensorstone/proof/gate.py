"""The gate: a program is asked for its numbers, and passes or is told what is wrong with it.

What it cannot see: a deviation smaller than what float32 loses anyway (a weight decay times rate
below one rounding of the weights); what only large batches or long training show; whether
dropout's masks are good random numbers.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from tensorstone.dialects.emit import Unsupported
from tensorstone.dialects.registry import Dialect, lookup
from tensorstone.models.workload import Workload
from tensorstone.proof import cache
from tensorstone.proof.probes import make_probe
from tensorstone.proof.program import Programs
from tensorstone.proof.sources import Edit, write
from tensorstone.proof.trial import Trial
from tensorstone.proof.verdict import Proof
from tensorstone.results.outcome import Failure
from tensorstone.runtime.invocation import Invocation
from tensorstone.runtime.process import Worker

TIMEOUT_S = 600.0  # of one request: a first step may compile for minutes


def prove(
    workload: Workload,
    dialect: Dialect,
    invocation: Invocation,
    edit: Edit | None = None,
    timeout_s: float = TIMEOUT_S,
) -> Proof:
    """Prove the workload in one dialect, in one worker, or find the proof in the cache.

    `edit` rewrites the emitted programs before they are tried.
    """
    try:
        sources = write(workload, dialect, edit)
    except Unsupported as reason:
        return Proof("unsupported", str(reason))
    framework = lookup(dialect.framework)
    name = cache.key(sources, framework, invocation.python, make_probe(workload))
    if kept := cache.find(name):
        return kept
    with tempfile.TemporaryDirectory(dir=invocation.workdir) as folder:
        try:
            with Worker(invocation) as worker:
                programs = Programs(
                    worker, framework.bridge, invocation.threads, Path(folder), timeout_s
                )
                edited = edit is not None
                proof = Trial(workload, dialect, framework, sources, programs, edited).proof()
        except Failure as failure:
            outcome = failure.outcome
            return Proof(outcome.status, outcome.reason, last_words=outcome.last_words)
    cache.keep(name, proof)
    return proof
