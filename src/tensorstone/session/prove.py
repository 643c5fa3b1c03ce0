"""Proofs alone: every program against the oracle, kept as runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tensorstone.dialects.registry import Dialect
from tensorstone.ledger.ledger import Ledger
from tensorstone.models.workload import Workload
from tensorstone.results.comparison import Proofs
from tensorstone.results.settings import ProofSettings
from tensorstone.session import noise
from tensorstone.session.distinct import distinct
from tensorstone.session.entries import enter, thread_count
from tensorstone.session.proving import Proven, Proving, prove_all
from tensorstone.session.running import Series, running, workload_facts
from tensorstone.session.watch import Watch
from tensorstone.support import folders


@dataclass(frozen=True)
class ProveRequest:
    """What is to be proven."""

    workloads: Sequence[Workload]
    dialects: Sequence[Dialect]
    threads: int = 0  # 0: one for each processor
    timeout_s: float = 600.0  # of one answer
    words: tuple[str, ...] = ()


def prove(request: ProveRequest, ledger: Ledger, watch: Watch) -> list[Proofs]:
    """A result for each workload, in order; `watch.done` hears of each."""
    folders.cache_dir()  # if it cannot be written, better now than later
    threads = thread_count(request.threads)
    workloads = distinct(request.workloads)
    entries = enter(workloads, request.dialects, watch.installing)
    series = Series(ledger, "prove", request.words)
    with watch.proofs(len(entries)) as watcher:
        jobs = [Proving(entry, threads) for entry in entries]
        proven = prove_all(jobs, watcher, request.timeout_s)
    done = []
    for workload in workloads:
        mine = [one for one in proven if one.entry.workload is workload]
        done.append(_kept(workload, mine, request, threads, series))
        watch.done(done[-1])
    return done


def _kept(
    workload: Workload,
    proven: Sequence[Proven],
    request: ProveRequest,
    threads: int,
    series: Series,
) -> Proofs:
    known = noise.known(threads)
    floor = known.floor if known else None
    settings = ProofSettings(request.timeout_s)
    facts = series.facts(workload_facts(workload), settings, threads, floor, series.began)
    with running(series.ledger, facts, proven, ended=True) as run:
        pass
    found = run.assembled()
    assert isinstance(found, Proofs)
    return found
