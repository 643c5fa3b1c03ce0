"""The gate as the command line uses it: one call, one process, one verdict, kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pytorch_trials import DIALECT, invocation
from small_workloads import PLAIN, VECTORS
from sources import sources_of

from tensorstone.dialects.registry import dialects, frameworks
from tensorstone.models.workload import Workload
from tensorstone.proof import cache, gate
from tensorstone.proof.probing.probe import make_probe
from tensorstone.proof.sources import Edit
from tensorstone.results.codec import from_json, to_json
from tensorstone.results.conditions import Conditions
from tensorstone.results.program import Program, sha
from tensorstone.results.proof import Proof
from tensorstone.runtime.invocation import Invocation

pytestmark = pytest.mark.frameworks("pytorch")


@pytest.fixture
def place(pytorch_python: Path, tmp_path: Path) -> Invocation:
    return invocation(pytorch_python, tmp_path)


CONDITIONS = Conditions("the environment of these tests")


def prove(workload: Workload, place: Invocation, edit: Edit | None = None) -> Proof:
    """By the gate, as PyTorch's eager program of the workload with the edit made."""
    text = sources_of(workload, dialects()[DIALECT], edit).program
    program = Program(text, sha(text), "", DIALECT)
    return gate.prove(workload, dialects()[DIALECT], program, place, CONDITIONS, edit)


def test_a_proof_is_kept_and_found_again(place, monkeypatch):
    first = prove(VECTORS, place)
    assert first.ok
    assert list(first.levels) == ["shape", "forward", "step", "trace", "dropout"]
    assert first.version.startswith(frameworks()["pytorch"].pin)

    def no_worker(*args: object) -> None:
        raise AssertionError("a kept proof needs no process")

    monkeypatch.setattr(gate, "Worker", no_worker)
    assert prove(VECTORS, place) == first


def test_another_program_is_another_proof():
    dialect, probe = dialects()[DIALECT], make_probe(PLAIN)
    edited = sources_of(PLAIN, dialect, lambda source: source + "\n")
    names = {
        cache.key(sources, frameworks()["pytorch"], dialect, CONDITIONS, probe)
        for sources in (edited, sources_of(PLAIN, dialect))
    }
    assert len(names) == 2


def test_other_conditions_are_another_proof():
    dialect, probe = dialects()[DIALECT], make_probe(PLAIN)
    sources = sources_of(PLAIN, dialect)
    names = {
        cache.key(sources, frameworks()["pytorch"], dialect, conditions, probe)
        for conditions in (CONDITIONS, Conditions("another environment"))
    }
    assert len(names) == 2


def test_a_crash_is_told_and_not_kept(place, tmp_path):
    def crash(source: str) -> str:
        return source.replace("    net.train()", "    import os; os.abort()")

    proof = prove(PLAIN, place, crash)
    assert (proof.outcome.status, "SIGABRT" in proof.outcome.reason) == ("crashed", True)
    assert not list((tmp_path / "cache").glob("proofs/*"))


def test_a_program_that_raises_has_failed(place):
    proof = prove(PLAIN, place, lambda s: s.replace("net.train()", "net.go()"))
    assert proof.outcome.status == "failed"
    assert "AttributeError" in proof.outcome.reason


def test_a_nan_is_unequal_and_fits_json(place):
    def diverge(source: str) -> str:
        return source.replace("return self.fc2(x)", 'return self.fc2(x) * float("nan")')

    proof = prove(PLAIN, place, diverge)
    assert (proof.outcome.status, proof.diagnosis) == ("unequal", None)
    assert "fc2 gives NaN everywhere" in proof.outcome.reason
    kept = to_json(proof)
    forward = json.loads(kept, parse_constant=pytest.fail)["levels"]["forward"]
    bound = proof.levels["forward"].tolerance
    assert forward == {
        "error": None,
        "tolerance": bound,
        "passed": False,
        "worst": "outputs",
        "reason": "",
        "arrays": {"outputs": {"error": None, "bound": bound}},
    }
    assert from_json(Proof, kept) == proof


def test_a_lossy_last_layer_is_found_by_its_gradient(place):
    def halved(source: str) -> str:
        return source.replace("self.fc2(x)", "self.fc2((x + x.detach()) / 2)")

    proof = prove(PLAIN, place, halved)
    assert (proof.outcome.status, proof.diagnosis, proof.first_layer) == ("unequal", None, "fc1")
