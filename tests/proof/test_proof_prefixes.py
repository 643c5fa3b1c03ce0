"""The first layer that is wrong is found by prefixes of the model, in forks too, with its line."""

from __future__ import annotations

import pytest
from pytorch_trials import Prove
from small_workloads import NORMED, VECTORS

pytestmark = pytest.mark.frameworks("pytorch")


@pytest.mark.parametrize(
    ("workload", "old", "new", "place", "line"),
    [
        (VECTORS, "torch.tanh(", "torch.sign(2 + 0 * ", "tanh1", "torch.sign("),
        (NORMED, "torch.tanh(", "torch.sin(", "tanh1", "torch.sin("),
        (NORMED, "F.relu(self.bn1", "torch.abs(self.bn1", "relu1", "torch.abs("),
    ],
)
def test_the_first_layer_that_is_wrong_is_found_by_halving(
    workload, old, new, place, line, prove: Prove
):
    """A room that writes a layer wrongly writes it wrongly in every prefix of the model too."""

    def edit(source: str) -> str:
        return source.replace(old, new)

    proof = prove(workload, edit)
    assert (proof.outcome.status, proof.diagnosis, proof.first_layer) == ("unequal", None, place)
    said = proof.outcome.reason.rpartition("; line ")[2]
    assert line in said, proof.outcome.reason
