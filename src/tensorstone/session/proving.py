"""Putting entries before the oracle, several at once: nothing is being timed."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

from tensorstone.proof.gate import TIMEOUT_S, prove
from tensorstone.proof.verdict import Proof
from tensorstone.results.cell import Cell, cell
from tensorstone.results.outcome import OK, Outcome
from tensorstone.runtime.process import hang_up_all
from tensorstone.session.entries import Entry, processors
from tensorstone.support.scratch import scratch


class Watch(Protocol):
    """Hears which cells are being proven and how each ended."""

    def started(self, cell: str) -> None: ...

    def ended(self, cell: str, status: str) -> None: ...


def prove_all(entries: Sequence[Entry], watch: Watch, timeout_s: float = TIMEOUT_S) -> list[Cell]:
    """A cell for each entry, in their order. Ctrl-C ends those under way and begins no other."""
    with scratch() as folder:
        pool = ThreadPoolExecutor(max_workers=len(processors()))
        jobs = [pool.submit(_prove, entry, folder, watch, timeout_s) for entry in entries]
        try:
            return [job.result() for job in jobs]
        except BaseException:
            for job in jobs:
                job.cancel()
            hang_up_all()
            raise
        finally:
            pool.shutdown()


def _prove(entry: Entry, folder: Path, watch: Watch, timeout_s: float) -> Cell:
    name = f"{entry.workload.name} in {entry.dialect.name}"
    watch.started(name)
    proven = _cell(entry, folder, timeout_s)
    watch.ended(name, proven.status)
    return proven


def _cell(entry: Entry, folder: Path, timeout_s: float) -> Cell:
    if not entry.outcome.ok:
        return cell(entry, entry.outcome)
    if entry.framework.name == "null":  # computes nothing, so there is nothing to prove
        return cell(entry, OK)
    invocation = entry.invocation(len(processors()), folder)
    proof = prove(entry.workload, entry.dialect, invocation, timeout_s=timeout_s)
    # Something that never ran has no proof, only an outcome.
    said = proof_json(proof) if proof.levels else None
    known = proof.status == "unequal" and proof.diagnosis == entry.dialect.defect
    outcome = Outcome(proof.status, proof.reason, proof.last_words)
    return cell(entry, outcome, proof=said, known_defect=known)


def proof_json(proof: Proof) -> dict[str, Any]:
    """What a cell says of its proof: each level, then the diagnosis."""
    said = proof.to_json()
    about = ("diagnosis", "first_layer", "detail", "conventions", "excluded")
    return {**said["levels"], **{key: said[key] for key in about}}
