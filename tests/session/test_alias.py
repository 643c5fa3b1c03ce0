"""A dialect with the very program of another is an alias: the other's result is shown."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from tensorstone.analysis.assemble import assemble
from tensorstone.ledger import Ledger, reading
from tensorstone.models.workload import Workload
from tensorstone.report.as_json import results_json
from tensorstone.report.proofs import remarks
from tensorstone.results.comparison import Comparison
from tensorstone.session.asking import dialects, prove_request, train_request
from tensorstone.session.prove import prove
from tensorstone.session.training import train
from tensorstone.session.watch import Unwatched

Compare = Callable[..., list[Comparison]]
BOTH = ("linear/alias", "linear/dot")


def test_an_alias_shows_the_result_of_the_other_and_has_no_place(
    compared: Compare, line: Workload
) -> None:
    (done,) = compared(line, *BOTH)
    alias, dot = done.cells
    assert (alias.dialect, alias.alias_of, alias.status) == ("linear/alias", "linear/dot", "ok")
    assert alias.metrics == dot.metrics and "step_s" in alias.metrics
    assert alias.proof == dot.proof and dot.proof is not None
    assert (alias.rank, alias.ratio, dot.rank) == (None, None, 1)
    assert remarks(done.cells) == [
        "linear/alias: the same program as linear/dot, whose result is shown"
    ]
    said, _ = results_json([done])["cells"]
    assert (said["status"], said["alias_of"]) == ("ok", "linear/dot")


def test_an_alias_is_proven_and_raced_once(
    compared: Compare, ledger: Ledger, line: Workload
) -> None:
    (done,) = compared(line, *BOTH)
    record = reading.record(ledger, done.facts.number)
    assert {trial.dialect for trial in record.trials} == {"linear/dot"}
    assert len(record.programs) == 1


def test_alone_it_is_raced_with_the_other_s_program_under_its_own_name(
    compared: Compare, line: Workload
) -> None:
    (done,) = compared(line, "linear/alias", "linear/sum")
    alias, _ = done.cells
    assert (alias.status, alias.alias_of) == ("ok", "")
    assert alias.rank is not None
    assert "the same program as linear/dot: it has no words of its own" in alias.notes


def test_an_alias_of_what_fell_short_falls_short_too(
    compared: Compare, ledger: Ledger, line: Workload
) -> None:
    (done,) = compared(line, *BOTH)
    record = reading.record(ledger, done.facts.number)
    bad = [
        replace(trial, outcome=replace(trial.outcome, status="crashed")) for trial in record.trials
    ]
    alias, dot = assemble(replace(record, trials=tuple(bad))).cells
    assert alias.outcome == dot.outcome and alias.fell_short


def test_prove_and_train_say_aliases_too(ledger: Ledger, line: Workload) -> None:
    (proofs,) = prove(prove_request(line, dialects(BOTH)), ledger, Unwatched())
    assert [(cell.alias_of, cell.status) for cell in proofs.cells] == [
        ("linear/dot", "ok"),
        ("", "ok"),
    ]
    request = train_request(line, dialects(BOTH), epochs=1, threads=1, data="synthetic")
    (trained,) = train(request, ledger, Unwatched())
    alias, dot = trained.cells
    assert (alias.alias_of, alias.status) == ("linear/dot", "ok")
    assert alias.metrics == dot.metrics and "final_metric" in alias.metrics
