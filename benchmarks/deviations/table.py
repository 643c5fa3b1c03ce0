"""Runs deviations and correct variations through the real proof, and tells what came of each."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack, nullcontext
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path

from benchmarks.deviations import markdown
from benchmarks.deviations.correct import VARIATIONS
from benchmarks.deviations.deviation import Deviation, Variation
from benchmarks.deviations.edits import DEVIATIONS
from benchmarks.deviations.nets import NETS
from tensorstone.dialects.emit import Unsupported
from tensorstone.dialects.registry import dialects, lookup
from tensorstone.proof.candidate import Candidate
from tensorstone.proof.program import Precision, Programs
from tensorstone.proof.sources import Edit, write
from tensorstone.results.outcome import Outcome
from tensorstone.results.proof import Proof
from tensorstone.runtime.failure import Failure
from tensorstone.runtime.process import Worker
from tensorstone.session.entries import Entry, enter

CASES: dict[str, Deviation | Variation] = {one.key: one for one in (*DEVIATIONS, *VARIATIONS)}
# Workload and dialect: made before processes are forked, which find them here.
ENTRIES: dict[tuple[str, str], Entry] = {}
JOBS = 2
COUNTING = {"mxnet/gluon"}  # names count on in a process, and edits are of names: always a new one
TIMEOUT_S = 240.0


@dataclass(frozen=True)
class Row:
    """What came of one deviation or variation in one dialect."""

    key: str
    dialect: str
    workload: str
    what: str
    blind: bool
    correct: bool  # a correct variation, not a mistake
    status: str
    verdict: str  # missed, caught, described, wrong; accepted, accused
    diagnosis: str
    layer: str
    reason: str
    seconds: float


def main() -> None:
    options = asked()
    there = [row for path in options.but for row in json.loads(path.read_text())]
    done = {(row["key"], row["dialect"]) for row in there}
    cases = [
        (case, dialect)
        for case, dialect in chosen(options.only, options.dialect)
        if (case.key, dialect) not in done
    ]
    for case, dialect in cases:
        if (place := (case.workload.name, dialect)) not in ENTRIES:
            ENTRIES[place] = entry_of(*place)
    rows = []
    with tempfile.TemporaryDirectory() as cache:
        os.environ["STONE_CACHE"] = cache  # environments are found; no proof is kept
        with ProcessPoolExecutor(JOBS, get_context("fork")) as pool:
            jobs = [pool.submit(proven, case.key, dialect) for case, dialect in cases]
            for job in as_completed(jobs):
                rows.append(job.result())
                said(rows[-1])
                if options.json:
                    keep(rows, options.json)
    print(markdown.summary(map(asdict, rows)))
    if options.markdown:
        options.markdown.write_text(markdown.page(list(map(asdict, rows))))


def asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.deviations", description=__doc__)
    parser.add_argument("--only", nargs="+", default=[], metavar="KEY")
    parser.add_argument("--dialect", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--json", type=Path, metavar="OUT")
    parser.add_argument("--but", type=Path, nargs="+", default=[], metavar="JSON", help="not again")
    parser.add_argument("--markdown", type=Path, metavar="OUT", help="docs/deviations.md")
    return parser.parse_args()


def chosen(keys: list[str], names: list[str]) -> Iterator[tuple[Deviation | Variation, str]]:
    for one in CASES.values():
        for dialect in one.edits:
            if (not keys or one.key in keys) and (not names or dialect in names):
                yield one, dialect


def entry_of(workload: str, dialect: str) -> Entry:
    """The workload's program in the dialect, and its environment, installed if need be."""
    (entry,) = enter([NETS[workload]], [dialects()[dialect]])
    if entry.program is None or not entry.outcome.ok:
        raise SystemExit(f"{workload} in {dialect}: {entry.outcome.reason}")
    return entry


def proven(key: str, dialect: str) -> Row:
    """One proof of the edited program."""
    began = time.monotonic()
    case = CASES[key]
    entry = ENTRIES[case.workload.name, dialect]
    edit = case.edits[dialect]
    try:
        assert entry.program is not None
        edit.check(entry.program.text)
        proof = prove(entry, edit(entry.program.text), edit)
    except Exception as error:  # the edit does not fit, or the proof itself broke
        return row(case, dialect, "error", f"{type(error).__name__}: {error}", None, began)
    return row(case, dialect, proof.outcome.status, proof.outcome.reason, proof, began)


def prove(entry: Entry, text: str, edit: Edit) -> Proof:
    """As the gate does, in workers that go on to the next case."""
    try:
        sources = write(entry.workload, entry.read_as, text, edit)
    except Unsupported as reason:
        return Proof(Outcome("unsupported", str(reason)))
    place = entry.dialect.name
    if place in COUNTING and place in WORKERS:
        WORKERS.pop(place).close()
    workers = WORKERS.setdefault(place, Workers(entry))
    framework = lookup(entry.dialect.framework)
    try:
        return Candidate(
            entry.workload,
            entry.read_as,
            framework,
            sources,
            workers.programs("float32"),
            edit,
            doubled=lambda: nullcontext(workers.programs("float64")),
        ).proof()
    except Failure as failure:
        WORKERS.pop(place).close()
        return Proof(failure.outcome)


class Workers:
    """One for each precision, in this process and one dialect."""

    def __init__(self, entry: Entry) -> None:
        self._entry = entry
        self._open = ExitStack()
        self._found: dict[Precision, Programs] = {}

    def programs(self, precision: Precision) -> Programs:
        if precision not in self._found:
            folder = Path(self._open.enter_context(tempfile.TemporaryDirectory()))
            worker = self._open.enter_context(Worker(self._entry.invocation(1, folder)))
            bridge = lookup(self._entry.dialect.framework).bridge
            found = Programs(worker, bridge, 1, folder, TIMEOUT_S, precision)
            self._found[precision] = found
        return self._found[precision]

    def close(self) -> None:
        self._open.close()


WORKERS: dict[str, Workers] = {}  # by dialect


def row(
    case: Deviation | Variation,
    dialect: str,
    status: str,
    reason: str,
    proof: Proof | None,
    began: float,
) -> Row:
    layer = (proof and proof.first_layer) or ""
    diagnosis = (proof and proof.diagnosis) or ""
    if status == "error":
        verdict = "error"
    elif isinstance(case, Variation):
        verdict = "accepted" if status == "ok" else "accused"
    else:
        verdict = case.verdict(status, reason, layer, bool(diagnosis))
    return Row(
        key=case.key,
        dialect=dialect,
        workload=case.workload.name,
        what=case.what,
        blind=isinstance(case, Deviation) and case.blind,
        correct=isinstance(case, Variation),
        status=status,
        verdict=verdict,
        diagnosis=diagnosis,
        layer=layer,
        reason=reason,
        seconds=round(time.monotonic() - began, 1),
    )


def said(row: Row) -> None:
    first = f"{row.verdict:<10}{row.dialect:<18}{row.key:<32}{row.seconds:>6.1f} s  "
    print(first + row.reason.replace("\n", " ")[:300], flush=True)


def keep(rows: Iterable[Row], path: Path) -> None:
    part = path.with_name(path.name + ".part")
    part.write_text(json.dumps([asdict(row) for row in rows], indent=1, ensure_ascii=False))
    part.replace(path)
