"""From trials to cells: real processes, a real ledger, and nets that are not deployed as they
should be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace as updated
from racing import PROGRAMS, QUICK
from rich.console import Console, RenderableType

from tensorstone.analysis.assemble import assemble
from tensorstone.dialects.registry import Dialect, frameworks
from tensorstone.ledger import Ledger, reading
from tensorstone.models import SGD, Data, Dense, Model, Recipe, Workload
from tensorstone.report.as_json import cell_json
from tensorstone.report.deployment import deployment_table
from tensorstone.report.footnotes import footnotes
from tensorstone.report.ranking import ranked
from tensorstone.results.comparison import Cell, Comparison
from tensorstone.results.metrics import unit
from tensorstone.results.outcome import OK
from tensorstone.results.program import Program, sha
from tensorstone.results.proof import Level, Proof
from tensorstone.results.run import RunRecord
from tensorstone.runtime.environments.environment import Environment
from tensorstone.runtime.environments.install import ensure
from tensorstone.session import comparing
from tensorstone.session.comparing import CompareRequest, compare
from tensorstone.session.entries import Entry
from tensorstone.session.proving import Proven, Proving
from tensorstone.session.watch import Unwatched
from tensorstone.support.machine_lock import OTHER_NAME

COMPLETE = (PROGRAMS / "complete.py").read_text(encoding="utf-8")
WORKLOAD = Workload(
    name="tiny",
    title="One layer",
    model=Model("Tiny", (8,), [Dense(2, bias=False)]),
    recipe=Recipe("mean-squared", SGD(0.1), batch=8, epochs=1, metric="mse"),
    data=Data("random", samples=64),
)
LEVELS = {"forward": Level(error=1e-8, tolerance=1e-6, passed=True, worst="outputs")}
RELOAD = Level(error=0.0, tolerance=1e-6, passed=True, worst="outputs")
CHANGES = {
    "honest": ("", ""),
    "forgetful": ('np.load(f"{path}.npy")', "np.ones((2, 8), np.float32)"),
    "homeless": ("np.save(path", "raise OSError('no room')\n    np.save(path"),
    "mute": ("return x @", "len(x) == 1 and __import__('os').abort()\n    return x @"),
}


def entry(name: str, place: Environment | None) -> Entry:
    """A contestant that is called after what is changed in it."""
    room = replace(frameworks()["null"], name="complete")
    dialect = Dialect(f"complete/{name}", "complete", "idiomatic", "")
    weight = WORKLOAD.model.weights[0].name
    text = COMPLETE.replace(*CHANGES[name]).replace('"fc.weight"', f'"{weight}"')
    return Entry(WORKLOAD, dialect, room, OK, place, Program(text, sha(text), "", dialect.name))


def passed(wanted: Sequence[Proving], *_: object) -> list[Proven]:
    """As if the oracle had found them equal, each under its own conditions."""
    found = []
    for one in wanted:
        assert one.entry.program is not None
        conditions = one.entry.conditions(one.threads, one.memory_kept)
        proof = Proof(OK, one.entry.program.sha, conditions, LEVELS)
        found.append(Proven(one.entry, conditions, proof, OK))
    return found


@dataclass(frozen=True)
class Done:
    comparison: Comparison
    record: RunRecord  # as the ledger gives it back


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Done]:
    """All of them against each other, as `stone compare` does it."""
    folder = tmp_path_factory.mktemp("deployed")
    place = ensure(frameworks()["null"], None)
    entries = [entry(name, place) for name in CHANGES]
    settings = updated(QUICK, deployments=2, budget_s=0.1)
    request = CompareRequest([WORKLOAD], [e.dialect for e in entries], settings, threads=[1])
    with pytest.MonkeyPatch.context() as patch, Ledger(folder / "ledger.sqlite") as ledger:
        patch.setenv("STONE_CACHE", str(folder / "cache"))
        patch.setenv(OTHER_NAME, f"stone-test-{folder}"[-100:])
        patch.setattr(comparing, "enter", lambda *_: entries)
        patch.setattr(comparing, "prove_all", passed)
        (comparison,) = compare(request, ledger, Unwatched())
        yield Done(comparison, reading.record(ledger, comparison.facts.number))


def of(done: Done, name: str) -> Cell:
    (found,) = (c for c in done.comparison.cells if c.dialect == f"complete/{name}")
    assert found.metrics["step_s"].n == 2, "training was measured, whatever came after"
    return found


def test_a_net_that_is_deployed_well_is_proven_equal_after_a_load(done: Done) -> None:
    honest = of(done, "honest")
    assert honest.ok and honest.rank is not None and honest.deployment == OK
    assert honest.proof is not None and honest.proof.levels == {**LEVELS, "reload": RELOAD}
    said = cell_json(honest)
    assert said["deployment"] == {"status": "ok", "reason": "", "last_output": ""}
    assert set(said["metrics"]["load_s"]) == {"value", "low", "high", "unit", "samples", "kind"}


def test_what_the_ledger_kept_assembles_to_the_same_comparison(done: Done) -> None:
    assert done.record.damaged == ()
    assert assemble(done.record) == assemble(done.record)
    facts = updated(done.comparison.facts, finished=done.record.facts.finished)
    assert assemble(done.record) == updated(done.comparison, facts=facts)


def test_a_load_of_other_weights_is_unequal_and_has_no_rank(done: Done) -> None:
    forgetful = of(done, "forgetful")
    assert (forgetful.status, forgetful.rank, forgetful.ratio) == ("unequal", None, None)
    assert forgetful.proof is not None and not forgetful.proof.levels["reload"].passed
    assert "after saving and loading are off by" in forgetful.reason
    (kept,) = (c for c in done.record.cells if c.dialect == "complete/forgetful")
    assert kept.outcome is not None and kept.outcome.status == "unequal"


@pytest.mark.parametrize(
    ("name", "status", "said", "reached"),
    [("homeless", "failed", "no room", set()), ("mute", "crashed", "SIGABRT", {"load_s"})],
)
def test_what_fails_later_costs_no_rank_and_is_said(
    done: Done, name: str, status: str, said: str, reached: set[str]
) -> None:
    found = of(done, name)
    assert found.ok and found.rank is not None
    assert found.deployment is not None and found.deployment.status == status
    assert said in found.deployment.reason
    assert {"load_s", "predict_latency_s"} & set(found.metrics) == reached
    assert found.proof is not None
    assert found.proof.levels == LEVELS, "what was never loaded is not proven"
    assert any(note.startswith(f"after training: {status}: ") for note in found.notes)


def printed(table: RenderableType) -> str:
    console = Console(width=100, file=StringIO())
    console.print(table)
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def test_the_table_fits_and_the_footnotes_say_what_failed(done: Done, tmp_path: Path) -> None:
    comparison, honest = done.comparison, of(done, "honest")
    wide = {"saved_bytes": 1000 * 2**20, "predict_latency_p95_s": 0.5, "feed_share": 0.125}
    figures: dict[str, Any] = {
        name: updated(figure, value=wide.get(name, 0.0999 if unit(name) == "s" else 99_900))
        for name, figure in honest.metrics.items()
    }
    long = updated(honest, dialect="mxnet/gluon-hybridized", metrics=figures)
    text = printed(deployment_table("After training", ranked([*comparison.cells, long])))
    assert "1000 MiB" in text and "99.9/500/99.9 ms" in text and "99.9k" in text
    assert "…" not in text and max(map(len, text.splitlines())) <= 100
    rows = {line.split()[0]: line for line in text.splitlines() if "/" in line.split(" ")[0]}
    assert {"complete/honest", "complete/homeless", long.dialect} <= set(rows)
    assert "complete/forgetful" not in rows
    unfed = {name: figure for name, figure in figures.items() if not name.startswith("feed")}
    text = printed(deployment_table("After training", [updated(long, metrics=unfed)]))
    assert "predict" in text and "feed" not in text and "share" not in text
    lines = footnotes(comparison, tmp_path)
    assert any(line.startswith("complete/homeless: after training: failed") for line in lines)
