"""Putting entries before the oracle, several at once: nothing is being timed."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tensorstone.proof.gate import TIMEOUT_S, exempt, prove
from tensorstone.results.conditions import Conditions
from tensorstone.results.outcome import Outcome
from tensorstone.results.proof import Proof
from tensorstone.results.run import CellRecord
from tensorstone.runtime.process import hang_up_all
from tensorstone.session.entries import Entry, processors
from tensorstone.session.watch import ProofWatch
from tensorstone.support.scratch import scratch


@dataclass(frozen=True)
class Proving:
    """An entry, and the conditions it is to be proven under: those it will be raced under."""

    entry: Entry
    threads: int
    memory_kept: bool = False

    @property
    def name(self) -> str:
        return f"{self.entry.workload.name} in {self.entry.dialect.name}"


@dataclass(frozen=True)
class Proven:
    """What came of it. Nothing is ever looked up by name: the proof is the entry's own."""

    entry: Entry
    conditions: Conditions | None
    proof: Proof | None
    outcome: Outcome

    @property
    def ok(self) -> bool:
        return self.proof is not None and self.proof.ok

    @property
    def record(self) -> CellRecord:
        """As the ledger keeps it: still open if it was proven."""
        return self.entry.record(self.conditions, self.proof, None if self.ok else self.outcome)

    @property
    def ended_record(self) -> CellRecord:
        """The same where nothing comes after the proof."""
        return self.entry.record(self.conditions, self.proof, self.outcome)


def prove_all(
    wanted: Sequence[Proving], watch: ProofWatch, timeout_s: float = TIMEOUT_S
) -> list[Proven]:
    """In the order asked. Ctrl-C ends those under way and begins no other."""
    with scratch() as folder:
        pool = ThreadPoolExecutor(max_workers=len(processors()))
        jobs = [
            pool.submit(_watched, one, folder, watch, timeout_s, number)
            for number, one in enumerate(wanted)
        ]
        try:
            return [job.result() for job in jobs]
        except BaseException:
            for job in jobs:
                job.cancel()
            hang_up_all()
            raise
        finally:
            pool.shutdown()


def _watched(
    wanted: Proving, folder: Path, watch: ProofWatch, timeout_s: float, number: int
) -> Proven:
    watch.started(wanted.name)
    proven = _proven(wanted, folder, timeout_s, number)
    watch.ended(wanted.name, proven.outcome.status)
    return proven


def _proven(wanted: Proving, folder: Path, timeout_s: float, number: int) -> Proven:
    entry = wanted.entry
    if not entry.ready or entry.program is None:
        return Proven(entry, None, None, entry.outcome)
    conditions = entry.conditions(wanted.threads, wanted.memory_kept)
    if entry.framework.name == "null":
        proof = exempt(entry.program, conditions, "the harness's own: it computes nothing")
    else:
        # Where fewer threads than processors are wanted, proofs side by side take different ones.
        first = number * wanted.threads
        invocation = entry.invocation(wanted.threads, folder, wanted.memory_kept, first)
        proof = prove(
            entry.workload,
            entry.read_as,
            entry.program,
            invocation,
            conditions,
            timeout_s=timeout_s,
        )
    return Proven(entry, conditions, proof, proof.outcome)
