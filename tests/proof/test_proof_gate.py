"""The gate as the command line uses it: one call, one process, one verdict, kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pytorch_trials import DIALECT, invocation
from small_workloads import PLAIN, VECTORS

from tensorstone.dialects.registry import dialects, frameworks
from tensorstone.proof import cache, gate
from tensorstone.proof.gate import prove
from tensorstone.proof.probing.probe import make_probe
from tensorstone.proof.sources import write
from tensorstone.proof.verdict import from_json
from tensorstone.runtime.invocation import Invocation

pytestmark = pytest.mark.frameworks


@pytest.fixture
def place(pytorch_python: Path, tmp_path: Path) -> Invocation:
    return invocation(pytorch_python, tmp_path)


def test_a_proof_is_kept_and_found_again(place, monkeypatch):
    first = prove(VECTORS, dialects()[DIALECT], place)
    assert first.ok
    assert list(first.levels) == ["shape", "forward", "step", "trace", "dropout"]
    assert first.version.startswith(frameworks()["pytorch"].pin)

    def no_worker(*args: object) -> None:
        raise AssertionError("a kept proof needs no process")

    monkeypatch.setattr(gate, "Worker", no_worker)
    assert prove(VECTORS, dialects()[DIALECT], place) == first


def test_another_program_is_another_proof(place):
    edited = write(PLAIN, dialects()[DIALECT], lambda source: source + "\n")
    names = {
        cache.key(sources, frameworks()["pytorch"], place.python, make_probe(PLAIN))
        for sources in (edited, write(PLAIN, dialects()[DIALECT]))
    }
    assert len(names) == 2


def test_a_crash_is_told_and_not_kept(place, tmp_path):
    def crash(source: str) -> str:
        return source.replace("    net.train()", "    import os; os.abort()")

    proof = prove(PLAIN, dialects()[DIALECT], place, crash)
    assert (proof.status, "SIGABRT" in proof.reason) == ("crashed", True)
    assert not list((tmp_path / "cache").glob("proofs/*"))


def test_a_program_that_raises_has_failed(place):
    proof = prove(PLAIN, dialects()[DIALECT], place, lambda s: s.replace("net.train()", "net.go()"))
    assert proof.status == "failed"
    assert "AttributeError" in proof.reason


def test_a_nan_is_unequal_and_fits_json(place):
    def diverge(source: str) -> str:
        return source.replace("return self.fc2(x)", 'return self.fc2(x) * float("nan")')

    proof = prove(PLAIN, dialects()[DIALECT], place, diverge)
    assert (proof.status, proof.diagnosis) == ("unequal", None)
    assert "forward" in proof.reason
    told = json.loads(json.dumps(proof.to_json(), allow_nan=False))
    assert told["levels"]["forward"] == {
        "error": None,
        "tolerance": proof.levels["forward"].tolerance,
        "passed": False,
        "worst": "outputs",
    }
    assert from_json(told).status == "unequal"


def test_a_lossy_last_layer_is_found_by_its_gradient(place):
    def halved(source: str) -> str:
        return source.replace("self.fc2(x)", "self.fc2((x + x.detach()) / 2)")

    proof = prove(PLAIN, dialects()[DIALECT], place, halved)
    assert (proof.status, proof.diagnosis, proof.first_layer) == ("unequal", None, "fc1")
