"""The same room at MXNet 1.3.1, the oldest version it serves: nothing else need be said twice."""

from __future__ import annotations

from pathlib import Path

import pytest
from recurrent_cases import CASES, proofs

from tensorstone.dialects.emit import emit
from tensorstone.dialects.registry import select
from tensorstone.models.load import find


def test_programs_of_feed_forward_networks_are_the_same_at_every_version() -> None:
    for short in ("module", "gluon-static"):
        old, usual = select([f"mxnet@1.3.1/{short}"])[0], select([f"mxnet/{short}"])[0]
        assert emit(find("lenet"), old) == emit(find("lenet"), usual)


@pytest.mark.frameworks("mxnet@1.3.1")
@pytest.mark.parametrize("short", ["module", "gluon-static"])
def test_recurrent_networks_at_1_3_1_and_its_defect(short: str, tmp_path: Path) -> None:
    proven = proofs(f"mxnet@1.3.1/{short}", tmp_path)
    assert proven.keys() == CASES.keys()
    (unequal,) = [name for name, proof in proven.items() if proof.outcome.status != "ok"]
    # 1.3.1 adds up the gradients of a bidirectional GRU's second direction (docs/findings.md).
    assert unequal == "joined"
    assert proven[unequal].outcome.status == "unequal"
    assert "gru2.backward_recurrent" in proven[unequal].outcome.reason
