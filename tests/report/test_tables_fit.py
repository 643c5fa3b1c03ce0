"""Every table at every width: no line is longer than the terminal, and nothing is cut."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up import CELL, comparison, facts
from msgspec.structs import replace
from rich.console import Console, RenderableType

from tensorstone.analysis.startup import STEPS
from tensorstone.cli.tables import table_of
from tensorstone.report.deployment import deployment_table
from tensorstone.report.proofs import proof_table
from tensorstone.report.ranking import ranking_table
from tensorstone.report.runs import runs_table
from tensorstone.report.sweep import sweep_table
from tensorstone.report.tables import table
from tensorstone.report.totals import totals_table
from tensorstone.results.comparison import Cell
from tensorstone.results.estimate import Estimate
from tensorstone.results.outcome import Outcome
from tensorstone.results.proof import Level, Proof
from tensorstone.results.run import Summary
from tensorstone.session.lists import LISTS, lists

WIDTHS = (60, 80, 100, 120)
STEP = Estimate(3.764e-3, 3.41e-3, 4.12e-3, 7)
NAMES = ("chainer/define-by-run", "mxnet/gluon-hybridized", "tensorflow@2.4.0/keras")
LEVELS = {
    name: Level(4e-7, 2e-5, True) for name in ("shape", "forward", "step", "trace", "dropout")
}


def printed(shown: RenderableType, width: int) -> str:
    console = Console(width=width, file=StringIO(), highlight=False)
    console.print(shown)
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def cells() -> list[Cell]:
    metrics = {
        "step_s": STEP,
        "cold_first_step_s": replace(STEP, value=0.674),
        "peak_rss_bytes": Estimate(1000 * 2**20, None, None, 3),
        "cpu_use": Estimate(1.9, None, None, 3),
        "code_lines": Estimate(150, None, None, 1),
        "saved_bytes": Estimate(1000 * 2**20, None, None, 3),
        "save_s": STEP,
        "load_s": replace(STEP, value=1.98),
        "first_predict_s": STEP,
        "predict_latency_s": STEP,
        "predict_latency_p95_s": STEP,
        "predict_latency_p99_s": replace(STEP, value=0.5),
        "predict_throughput": Estimate(99_900, None, None, 3),
        "feed_samples_per_s": Estimate(99_900, None, None, 3),
        "feed_share": Estimate(0.125, None, None, 3),
    }
    proof = Proof(outcome=CELL.outcome, levels=LEVELS)
    ratio = Estimate(1.48, 1.21, 1.6, 7)
    made = replace(CELL, metrics=metrics, proof=proof, rank=1, ratio=ratio)
    return [replace(made, dialect=name, rank=n) for n, name in enumerate(NAMES, start=1)]


def tables() -> Iterator[tuple[str, RenderableType, tuple[str, ...]]]:
    """Each with what must stand in it whole, at every width."""
    made = cells()
    yield "compare", ranking_table("LeNet", made), (*NAMES, "3.76 ms 3.41–4.12", "×1.48 1.21–1.60")
    yield "deployment", deployment_table("After", made), (*NAMES, "3.76/3.76/500 ms", "1000 MiB")
    failed = replace(made[0], outcome=Outcome("unsupported", "no such layer"), proof=None)
    yield "prove", proof_table("LeNet", [*made, failed]), (*NAMES, "✓ 4e-7/2e-5", "unsupported")
    points = [
        comparison(made, facts(n, workload=replace(facts().workload, batch=2**n)))
        for n in range(1, 9)
    ]
    yield "sweep", sweep_table(points), (*NAMES, "3.76 ms")
    yield "totals", totals_table("Total", {name: [STEP] * len(STEPS) for name in NAMES}), NAMES
    summary = Summary(facts(12, finished=10_000.0), NAMES, 3, 12)
    yield "runs", runs_table([summary] * 3), ("1970-01-01", "compare", "finished", NAMES[0])
    for what in LISTS:
        rows = lists(what)[what]
        names = tuple(str(row["name"]) for row in rows)
        yield f"list {what}", table_of(what, rows), names


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_cut_and_no_line_is_too_long(width: int) -> None:
    for name, shown, whole in tables():
        text = printed(shown, width)
        assert "…" not in text, (name, width)
        assert max(map(len, text.splitlines())) <= width, (name, width)
        for said in whole:
            assert said in text, (name, width, said)


@given(
    st.lists(
        st.tuples(st.text("abcdefgh", min_size=1, max_size=9), st.booleans(), st.integers(0, 3)),
        min_size=1,
        max_size=12,
    ),
    st.lists(st.text("abc 123", max_size=40), min_size=1, max_size=12),
    st.sampled_from(WIDTHS),
)
def test_any_table_fits(columns: list[tuple[str, bool, int]], said: list[str], width: int) -> None:
    shown = table("made up")
    for head, prose, shed in columns:
        shown.add_column(head, prose=prose, shed=shed)
    shown.add_row(*said[: len(columns)])
    text = printed(shown, width)
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= width


def test_a_narrow_ranking_says_what_it_leaves_out() -> None:
    shown = ranking_table("LeNet", cells())
    assert "Left out, since 80 columns are too few: " in printed(shown, 80)
    assert "Left out" not in printed(shown, 120)
    assert "memory 1000 MiB" in printed(shown, 60), "a stacked row has everything"
