"""What is measured of a program that leaves the model: a sentence, and where it is. In PyTorch."""

from __future__ import annotations

import pytest
from pytorch_trials import Prove
from small_workloads import ADDING, AVERAGING, MAXING, NORMED, PLAIN, VECTORS

from tensorstone.models.workload import Workload

pytestmark = pytest.mark.frameworks("pytorch")

STEP = "        optimizer.step()"
CLIP = "        nn.utils.clip_grad_norm_(net.parameters(), 0.01)\n"
SCALED = "[w.grad.div_(4) for w in net.parameters()]"

MISTAKES = [  # workload, what is written, what for it, the sentence, the place
    (MAXING, "torch.sigmoid(", "F.hardsigmoid(", "computes a hard sigmoid", "sigmoid1"),
    (NORMED, "F.relu(self.bn1", "F.relu6(10 * self.bn1", "computes", "relu1"),
    (NORMED, "self.bn2(self.conv3(x))", "self.conv3(x)", "passes its input on", "bn2"),
    (ADDING, "+ x", "- x", "subtracts path 2 of 2", "add1"),
    (AVERAGING, "padding=1)", 'padding=1, padding_mode="circular")', "(circular)", "conv1"),
    (PLAIN, STEP, CLIP + STEP, "clipped to a norm of 0.01", None),
    (AVERAGING, "loss.backward()", "(loss / 2).backward()", "half of what the model", None),
    (VECTORS, "nn.MSELoss()", "nn.HuberLoss(delta=0.5)", "Huber's, with delta 0.5", None),
    (NORMED, "lr=0.01)", "lr=0.01, betas=(0.5, 0.999))", "0.5", None),
    (AVERAGING, "momentum=0.9)", "momentum=0.95)", "0.95", None),
    (VECTORS, "nn.Dropout(0.4)", "nn.Dropout(0.25)", "drops 0.25 of its numbers", "drop1"),
    (
        PLAIN,
        "def learner(net):\n",
        "def learner(net):\n    net.fc1.bias.requires_grad_(False)\n",
        "stays as it is",
        "fc1.bias",
    ),
]
RIGHT = [
    (NORMED, "lr=0.01)", "lr=0.01, fused=True)"),
    (MAXING, "torch.sigmoid(", "(lambda v: 1 / (1 + torch.exp(-v)))("),
    (AVERAGING, "loss.backward()", f"(loss * 4).backward(); {SCALED}"),
    (ADDING, "+ x", "+ 1.0 * x"),
]


@pytest.mark.parametrize(("workload", "old", "new", "says", "place"), MISTAKES)
def test_a_mistake_is_described(
    workload: Workload, old: str, new: str, says: str, place: str | None, prove: Prove
) -> None:
    proof = prove(workload, lambda source: source.replace(old, new))
    assert proof.outcome.status == "unequal"
    assert says in proof.outcome.reason
    assert proof.first_layer == place


@pytest.mark.parametrize(("workload", "old", "new"), RIGHT)
def test_what_is_right_is_accepted(workload: Workload, old: str, new: str, prove: Prove) -> None:
    proof = prove(workload, lambda source: source.replace(old, new))
    assert proof.ok, proof.outcome.reason
