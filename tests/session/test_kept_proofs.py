"""A kept proof is used again for the very same, and for nothing else; and only if it is whole."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import pytest

from tensorstone.models.workload import Workload
from tensorstone.proof import gate
from tensorstone.proof.program import Precision, Programs
from tensorstone.results.codec import from_json, to_json
from tensorstone.results.proof import Proof
from tensorstone.runtime.invocation import Invocation
from tensorstone.session.asking import dialects
from tensorstone.session.entries import Entry, enter
from tensorstone.session.proving import Proven, Proving, prove_all
from tensorstone.session.watch import SilentProofs
from tensorstone.support.folders import cache_dir


@pytest.fixture
def entry(line: Workload) -> Entry:
    (made,) = enter([line], dialects(["linear/dot"]))
    return made


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Every worker that is started for a proof, but those for a second opinion in float64."""
    started: list[object] = []
    programs = gate._programs

    def counted(
        invocation: Invocation, bridge: Path, folder: Path, precision: Precision, timeout_s: float
    ) -> AbstractContextManager[Programs]:
        if precision == "float32":
            started.append(invocation)
        return programs(invocation, bridge, folder, precision, timeout_s)

    monkeypatch.setattr(gate, "_programs", counted)
    return started


def proven(entry: Entry, threads: int = 1, memory_kept: bool = False) -> Proven:
    (one,) = prove_all([Proving(entry, threads, memory_kept)], SilentProofs())
    return one


def kept() -> Path:
    (file,) = (cache_dir() / "proofs").glob("*.json")
    return file


def in_another_environment(entry: Entry, **variables: str) -> Entry:
    environment = {**entry.framework.environment, **variables}
    return replace(entry, framework=replace(entry.framework, environment=environment))


def in_another_dialect(entry: Entry, **said: str) -> Entry:
    return replace(entry, dialect=replace(entry.dialect, **said))  # type: ignore[arg-type]


def of_another_lock(entry: Entry) -> Entry:
    assert entry.environment
    return replace(entry, environment=replace(entry.environment, fingerprint="another"))


def test_the_very_same_is_found_again(entry: Entry, workers: list[object]) -> None:
    first = proven(entry)
    assert first.ok and len(workers) == 1
    again = proven(entry)
    assert again.proof == first.proof and len(workers) == 1


OTHERS: dict[str, Callable[[Entry], Entry]] = {
    "losses a call": lambda entry: in_another_dialect(entry, losses="call"),
    "probabilities": lambda entry: in_another_dialect(entry, outputs="probabilities"),
    "another variable": lambda entry: in_another_environment(entry, STONE_TEST_LINEAR="2"),
    "one more variable": lambda entry: in_another_environment(entry, STONE_TEST_MORE="1"),
    "another lock": of_another_lock,
}


@pytest.mark.parametrize("other", OTHERS)
def test_what_may_change_numbers_is_proven_anew(
    entry: Entry, workers: list[object], other: str
) -> None:
    proven(entry)
    again = proven(OTHERS[other](entry))
    assert len(workers) == 2
    assert again.proof and again.proof.conditions == again.conditions


def test_other_threads_and_another_allocator_are_proven_anew(
    entry: Entry, workers: list[object]
) -> None:
    made = [proven(entry), proven(entry, threads=2), proven(entry, memory_kept=True)]
    assert len(workers) == 3
    said = [one.proof and one.proof.conditions for one in made]
    assert [(one.threads, one.allocator) for one in said if one] == [
        (1, "default"),
        (2, "default"),
        (1, "kept"),
    ]


@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.999])
def test_a_changed_byte_is_not_accepted(entry: Entry, workers: list[object], share: float) -> None:
    first = proven(entry)
    data = bytearray(kept().read_bytes())
    data[int(share * len(data))] ^= 1
    kept().write_bytes(data)
    again = proven(entry)
    assert len(workers) == 2, "it was made again"
    assert again.proof == first.proof


def test_a_verdict_that_somebody_improved_is_not_accepted(
    line: Workload, workers: list[object]
) -> None:
    """Well-formed, but not what was sealed."""
    (half,) = enter([line], dialects(["linear/half"]))
    assert not proven(half).ok
    seal, _, body = kept().read_text(encoding="utf-8").partition("\n")
    better = body.replace('"status":"unequal"', '"status":"ok"')
    assert better != body and from_json(Proof, better).ok
    kept().write_text(f"{seal}\n{better}", encoding="utf-8")
    assert not proven(half).ok
    assert len(workers) == 2


def test_a_proof_copied_to_another_name_is_not_accepted(
    line: Workload, workers: list[object]
) -> None:
    good, half = enter([line], dialects(["linear/dot", "linear/half"]))
    assert proven(good).ok
    ok = kept().read_bytes()
    kept().unlink()
    assert not proven(half).ok
    kept().write_bytes(ok)
    assert not proven(half).ok
    assert len(workers) == 3


@pytest.mark.parametrize("text", ["", "\n", "seal\n{}", to_json({"outcome": {"status": "ok"}})])
def test_what_was_cut_short_is_not_accepted(entry: Entry, workers: list[object], text: str) -> None:
    proven(entry)
    kept().write_text(text, encoding="utf-8")
    assert proven(entry).ok and len(workers) == 2
