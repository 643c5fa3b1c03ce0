"""From trials to cells: real processes, a real ledger, and nets that do not live as they should."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from racing import PROGRAMS, QUICK
from rich.console import Console
from rich.table import Table

from tensorstone.dialects.registry import Dialect, frameworks
from tensorstone.ledger.ledger import Ledger
from tensorstone.models import SGD, Data, Dense, Model, Recipe, Workload
from tensorstone.report.deployment import life_table
from tensorstone.report.footnotes import footnotes
from tensorstone.report.ranking import ranked
from tensorstone.results.cell import Cell, cell
from tensorstone.results.events import Silent
from tensorstone.results.outcome import OK
from tensorstone.runtime.environments.environment import Environment
from tensorstone.runtime.environments.install import ensure
from tensorstone.session.comparing import Comparison, compare
from tensorstone.session.entries import Entry

LIVES = (PROGRAMS / "lives.py").read_text(encoding="utf-8")
WORKLOAD = Workload(
    name="tiny",
    title="One layer",
    model=Model("Tiny", (8,), [Dense(2, bias=False)]),
    recipe=Recipe("mean-squared", SGD(0.1), batch=8, epochs=1, metric="mse"),
    data=Data("random", samples=64),
)
PROOF = {"forward": {"error": 1e-8, "tolerance": 1e-6, "passed": True, "worst": "outputs"}}
MACHINE = {"noise_floor": 0.01, "cpu": "x", "cores": 1, "memory": 2**30}
CHANGES = {
    "honest": ("", ""),
    "forgetful": ('np.load(f"{path}.npy")', "np.ones((2, 8), np.float32)"),
    "homeless": ("np.save(path", "raise OSError('no room')\n    np.save(path"),
    "mute": ("return x @", "len(x) == 1 and __import__('os').abort()\n    return x @"),
}


def entry(name: str, place: Environment | None) -> Entry:
    """A contestant that is called after what is changed in it."""
    room = replace(frameworks()["null"], name="lives")
    dialect = Dialect(f"lives/{name}", "lives", "idiomatic", "")
    weight = WORKLOAD.model.weights[0].name
    source = LIVES.replace(*CHANGES[name]).replace('"fc.weight"', f'"{weight}"')
    return Entry(WORKLOAD, dialect, room, OK, place, source)


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Comparison, list[dict[str, Any]]]:
    """All of them against each other, as `stone compare` does it."""
    place = ensure(frameworks()["null"], None)
    entries = [entry(name, place) for name in CHANGES]
    proofs = {e.dialect.name: cell(e, OK, proof=PROOF) for e in entries}
    settings = replace(QUICK, life_rounds=2, budget_s=0.1)
    with Ledger(tmp_path_factory.mktemp("data") / "ledger.sqlite") as ledger:
        done = compare(entries, proofs, settings, 1, MACHINE, ledger, Silent())
        return done, ledger.cells(done.run)


def of(done: Comparison, name: str) -> Cell:
    (found,) = (c for c in done.cells if c.dialect == f"lives/{name}")
    assert found.metrics["step_s"].samples == 2, "training was measured, whatever came after"
    return found


def test_a_net_that_lives_is_proven_equal_after_a_load(compared: Any) -> None:
    done, kept = compared
    honest = of(done, "honest")
    assert honest.ok and honest.rank is not None and honest.life == OK
    reload = {"error": 0.0, "tolerance": 1e-6, "passed": True, "worst": "outputs"}
    assert honest.proof == {**PROOF, "reload": reload}
    assert kept[0]["proof"]["reload"] == reload
    said = honest.to_json()
    assert said["life"] == {"status": "ok", "reason": "", "last_words": ""}
    assert set(said["metrics"]["load_s"]) == {"value", "low", "high", "unit", "samples"}


def test_a_load_of_other_weights_is_unequal_and_has_no_rank(compared: Any) -> None:
    done, kept = compared
    forgetful = of(done, "forgetful")
    assert (forgetful.status, forgetful.rank, forgetful.ratio) == ("unequal", None, None)
    assert forgetful.proof is not None and not forgetful.proof["reload"]["passed"]
    assert "after saving and loading are off by" in forgetful.reason
    assert kept[1]["status"] == "unequal"


@pytest.mark.parametrize(
    ("name", "status", "said", "reached"),
    [("homeless", "failed", "no room", set()), ("mute", "crashed", "SIGABRT", {"load_s"})],
)
def test_what_fails_later_costs_no_rank_and_is_said(
    compared: Any, name: str, status: str, said: str, reached: set[str]
) -> None:
    found = of(compared[0], name)
    assert found.ok and found.rank is not None
    assert found.life is not None and found.life.status == status and said in found.life.reason
    assert {"load_s", "predict_latency_s"} & set(found.metrics) == reached
    assert found.proof == PROOF, "what was never loaded is not proven"
    assert any(note.startswith(f"after training: {status}: ") for note in found.notes)


def printed(table: Table) -> str:
    console = Console(width=100, file=StringIO())
    console.print(table)
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_the_table_fits_and_the_footnotes_say_what_failed(compared: Any, tmp_path: Path) -> None:
    done, _ = compared
    honest = of(done, "honest")
    wide = {"saved_bytes": 1000 * 2**20, "predict_latency_p95_s": 0.5, "feed_share": 0.125}
    figures = {
        name: replace(metric, value=wide.get(name, 0.0999 if metric.unit == "s" else 99_900))
        for name, metric in honest.metrics.items()
    }
    long = replace(honest, dialect="mxnet/gluon-hybridized", metrics=figures)
    text = printed(life_table("After training", ranked([*done.cells, long])))
    assert "1000 MiB" in text and "99.9/500/99.9 ms" in text and "99.9k" in text
    assert "…" not in text and max(map(len, text.splitlines())) <= 100
    rows = {line.split()[0]: line for line in text.splitlines() if "/" in line.split(" ")[0]}
    assert {"lives/honest", "lives/homeless", long.dialect} <= set(rows)
    assert "lives/forgetful" not in rows
    unfed = {name: metric for name, metric in figures.items() if not name.startswith("feed")}
    text = printed(life_table("After training", [replace(long, metrics=unfed)]))
    assert "predict" in text and "feed" not in text and "share" not in text
    lines = footnotes(done, MACHINE, tmp_path)
    assert any(line.startswith("lives/homeless: after training: failed") for line in lines)
