"""Numbers that no known deviation explains are at least located."""

from __future__ import annotations

import pytest
from pytorch_trials import Prove
from small_workloads import NORMED, VECTORS

from tensorstone.dialects import emit as emitting
from tensorstone.proof import divergence

pytestmark = pytest.mark.frameworks("pytorch")


@pytest.mark.parametrize(
    ("workload", "old", "new", "place"),
    [
        (VECTORS, "torch.tanh(", "torch.sin(", "tanh1"),
        (NORMED, "torch.tanh(", "torch.sin(", "concat1"),
        (NORMED, "F.relu(self.bn1", "torch.abs(self.bn1", "relu1"),
    ],
)
def test_the_first_part_that_is_wrong_is_found_by_halving(
    workload, old, new, place, prove: Prove, monkeypatch: pytest.MonkeyPatch
):
    """A room that writes a layer wrongly writes it wrongly in every prefix of the model too."""

    def edit(source: str) -> str:
        return source.replace(old, new)

    def emit(*words: object) -> str:
        return edit(emitting.emit(*words))  # type: ignore[arg-type]

    monkeypatch.setattr(divergence, "emit_part", emit)
    proof = prove(workload, edit)
    assert (proof.outcome.status, proof.diagnosis, proof.first_layer) == ("unequal", None, place)
    assert f"first layer whose values differ: {place}" in proof.outcome.reason
