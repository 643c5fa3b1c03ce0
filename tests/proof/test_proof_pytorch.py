"""Each catalogued deviation put into a real program: caught, and called by its name and place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from pytorch_trials import Prove
from small_workloads import ADDING, AVERAGING, DROPPED_MAPS, MAXING, NORMED, PLAIN, VECTORS

from tensorstone.models.workload import Workload
from tensorstone.proof.deviations import CATALOGUE
from tensorstone.proof.deviations.recurrent import RECURRENT

pytestmark = pytest.mark.frameworks("pytorch")


@dataclass(frozen=True)
class Injected:
    """A deviation, written into a program by replacing some of its text."""

    name: str
    workload: Workload
    place: str | None
    old: str
    new: str
    detail: str = ""

    def edit(self, source: str) -> str:
        return source.replace(self.old, self.new)


OWN_ADAM = """class Adam(torch.optim.Optimizer):
    def __init__(self, parameters, lr):
        super().__init__(parameters, dict(lr=lr, t=0))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            group["t"] += 1
            t = group["t"]
            for w in group["params"]:
                state = self.state[w]
                m = state["m"] = 0.9 * state.get("m", 0) + 0.1 * w.grad
                v = state["v"] = 0.999 * state.get("v", 0) + 0.001 * w.grad**2
                c, d = 1 - 0.9**t, 1 - 0.999**t
                w -= group["lr"] * {update}


def network():"""


def _adam(update: str) -> Callable[[str], str]:
    def edit(source: str) -> str:
        return source.replace("torch.optim.Adam", "Adam").replace(
            "def network():", OWN_ADAM.replace("{update}", update)
        )

    return edit


INJECTED = [
    Injected(
        "softmax-twice", AVERAGING, "fc1", "return self.fc1(x)", "return F.softmax(self.fc1(x), 1)"
    ),
    Injected(
        "softmax-twice",
        AVERAGING,
        "fc1",
        "loss_fn(net(x), y)",
        "loss_fn(F.softmax(net(x), 1), y)",
        "in the loss only",
    ),
    Injected("half-squared-loss", VECTORS, None, "loss_fn(net(x), y)", "loss_fn(net(x), y) / 2"),
    Injected("full-squared-loss", MAXING, None, "0.5 * F.mse_loss", "F.mse_loss"),
    Injected(
        "sum-over-batch", NORMED, None, "CrossEntropyLoss()", 'CrossEntropyLoss(reduction="sum")'
    ),
    Injected(
        "sum-over-batch",
        VECTORS,
        None,
        "nn.MSELoss()",
        'nn.MSELoss(reduction="sum")',
        "and over the outputs",
    ),
    Injected("sum-over-outputs", VECTORS, None, "loss_fn(net(x), y)", "loss_fn(net(x), y) * 3"),
    Injected("missing-bias", VECTORS, "fc2", "nn.Linear(9, 6)", "nn.Linear(9, 6, bias=False)"),
    Injected("missing-bias", VECTORS, "fc3", "self.fc3(x)", "F.linear(x, self.fc3.weight)"),
    Injected("missing-activation", VECTORS, "relu1", "F.relu(self.fc1(x))", "self.fc1(x)"),
    Injected(
        "missing-activation",
        NORMED,
        "tanh1",
        "torch.tanh(self.bn2(self.conv3(x)))",
        "self.bn2(self.conv3(x))",
    ),
    Injected(
        "activation-pooling-swapped",
        AVERAGING,
        "tanh1",
        """        x = F.avg_pool2d(
            torch.tanh(self.conv1(x)), 3, stride=2, padding=1, count_include_pad=False
        )""",
        """        x = torch.tanh(
            F.avg_pool2d(self.conv1(x), 3, stride=2, padding=1, count_include_pad=False)
        )""",
    ),
    Injected(
        "gradient-blocked",
        MAXING,
        "flatten1",
        "torch.flatten(x, 1)",
        "torch.flatten(x, 1).detach()",
    ),
    Injected("padding-side", AVERAGING, "conv2", "(0, 1, 1, 0)", "(1, 0, 0, 1)"),
    Injected(
        "padding-side",
        MAXING,
        "conv1",
        "F.relu(self.conv1(x))",
        "F.relu(F.conv2d(F.pad(x, (0, 1, 0, 1)), self.conv1.weight, self.conv1.bias, 2))",
    ),
    Injected(
        "ceil-mode", AVERAGING, "pool1", "padding=1, count", "padding=1, ceil_mode=True, count"
    ),
    Injected(
        "padding-counted", AVERAGING, "pool1", "count_include_pad=False", "count_include_pad=True"
    ),
    Injected(
        "padding-not-counted",
        MAXING,
        "pool2",
        "stride=1, padding=1",
        "stride=1, padding=1, count_include_pad=False",
    ),
    Injected(
        "flipped-kernel",
        NORMED,
        "conv1",
        "self.conv1(x)",
        "F.conv2d(x, self.conv1.weight.flip(2, 3), self.conv1.bias)",
    ),
    Injected(
        "hwc-flatten", NORMED, "flatten1", "torch.flatten(x, 1)", "x.permute(0, 2, 3, 1).flatten(1)"
    ),
    Injected("leaky-slope", AVERAGING, "leaky1", ", 0.1), dim", "), dim", "slope 0.01"),
    Injected("batchnorm-momentum", NORMED, "bn2", "momentum=0.2", "momentum=0.8", "momentum 0.2"),
    Injected(
        "batchnorm-momentum",
        NORMED,
        "bn1",
        "BatchNorm2d(4)",
        "BatchNorm2d(4, momentum=0.01)",
        "momentum 0.99",
    ),
    Injected(
        "batchnorm-epsilon",
        NORMED,
        "bn3",
        "BatchNorm1d(6)",
        "BatchNorm1d(6, eps=1e-3)",
        "epsilon 0.001",
    ),
    Injected(
        "batchnorm-unbiased-variance",
        NORMED,
        "bn3",
        "F.relu(self.bn3(self.fc1(x)))",
        "F.relu(unbiased(self.bn3, self.fc1(x)))",
    ),
    Injected(
        "batch-statistics-in-prediction",
        NORMED,
        "bn1",
        "net.eval()",
        "pass",
        "and moves the running ones",
    ),
    Injected(
        "running-statistics-in-training",
        NORMED,
        "bn1",
        "net.train()",
        "net.eval()",
        "in all 3 layers",
    ),
    Injected(
        "detached-statistics",
        NORMED,
        "bn3",
        "F.relu(self.bn3(self.fc1(x)))",
        "F.relu(detached(self.bn3, self.fc1(x)))",
    ),
    Injected("path-blocked", ADDING, "add1", "+ x", "+ x.detach()", "path 2"),
    Injected("unit-gain-momentum", AVERAGING, None, "torch.optim.SGD(", "UnitGain("),
    Injected("nesterov", AVERAGING, None, "momentum=0.9)", "momentum=0.9, nesterov=True)"),
    Injected("no-nesterov", VECTORS, None, ", nesterov=True", ""),
    Injected(
        "other-epsilon",
        NORMED,
        None,
        "lr=0.01)",
        "lr=0.01, eps=1e-7)",
        "epsilon 1e-07 instead of 1e-08",
    ),
    Injected(
        "other-epsilon", MAXING, None, "eps=1e-7", "eps=1e-8", "epsilon 1e-08 instead of 1e-07"
    ),
    Injected("learning-rate", NORMED, None, "lr=0.01)", "lr=0.02)", "learning rate × 2"),
    Injected("learning-rate", PLAIN, None, "lr=0.5", "lr=0.125", "learning rate ÷ batch"),
    Injected(
        "scaled-gradient",
        NORMED,
        None,
        "        optimizer.step()",
        "        [w.grad.div_(len(x)) for w in net.parameters()]\n        optimizer.step()",
        "gradients ÷ batch",
    ),
    Injected(
        "weight-decay",
        NORMED,
        None,
        "lr=0.01)",
        "lr=0.01, weight_decay=1e-4)",
        "0.0001 · w in the gradient",
    ),
    Injected(
        "weight-decay",
        NORMED,
        None,
        "torch.optim.Adam(",
        "torch.optim.AdamW(",
        "0.01 · rate · w beside the update",
    ),
    Injected(
        "weight-decay",
        PLAIN,
        None,
        "lr=0.5",
        "lr=0.5, weight_decay=1e-5",
        "1e-05 · w in the gradient",
    ),
    Injected("remainder-kept", VECTORS, None, "drop_last=True", "drop_last=False"),
    Injected(
        "remainder-padded",
        AVERAGING,
        None,
        "samples = TensorDataset(",
        "x, y = padded(x, batch_size), padded(y, batch_size)\n    samples = TensorDataset(",
    ),
    Injected(
        "state-forgotten",
        AVERAGING,
        None,
        "net.train()\n",
        "net.train(); optimizer.state.clear()\n",
    ),
    Injected("batches-reversed", PLAIN, None, "in batches:", "in list(batches)[::-1]:"),
    Injected(
        "batches-shuffled",
        AVERAGING,
        None,
        "drop_last=True",
        "drop_last=True, shuffle=True, generator=torch.Generator().manual_seed(1)",
    ),
    Injected(
        "batches-shuffled",
        NORMED,
        None,
        "drop_last=True",
        "drop_last=True, shuffle=True, generator=torch.Generator().manual_seed(1)",
    ),
    Injected("dropout-in-prediction", VECTORS, "drop1", "net.eval()", "pass"),
    Injected("dropout-rate", VECTORS, "drop1", "nn.Dropout(0.4)", "nn.Dropout(0.6)"),
    Injected(
        "dropout-scaling",
        VECTORS,
        "drop1",
        "nn.Dropout(0.4)",
        "Dropout(0.4)",
    ),
    Injected(
        "dropout-mask",
        VECTORS,
        "drop1",
        "    net.train()\n",
        "    net.train()\n    torch.manual_seed(0)\n",
    ),
    Injected("dropout-mask", DROPPED_MAPS, "drop1", "nn.Dropout(", "nn.Dropout2d("),
]
HELPERS = """def padded(samples, batch_size):
    return np.concatenate([samples, samples[: -len(samples) % batch_size]])


def unbiased(norm, x):
    if not norm.training:
        return norm(x)
    n = len(x)
    norm(x)
    centred = x - x.mean(0)
    variance = centred.square().sum(0) / (n - 1)
    return centred / torch.sqrt(variance + norm.eps) * norm.weight + norm.bias


def detached(norm, x):
    if not norm.training:
        return norm(x)
    norm(x)
    mean, variance = x.mean(0).detach(), x.var(0, correction=0).detach()
    return (x - mean) / torch.sqrt(variance + norm.eps) * norm.weight + norm.bias


class UnitGain(torch.optim.SGD):
    def step(self):
        for group in self.param_groups:
            for w in group["params"]:
                w.grad *= 1 - group["momentum"]
        super().step()


class Dropout(nn.Module):
    def __init__(self, rate):
        super().__init__()
        self.rate = rate

    def forward(self, x):
        return x * (torch.rand_like(x) >= self.rate) if self.training else x


"""


@pytest.mark.parametrize("injected", INJECTED, ids=lambda i: f"{i.name}-{i.workload.name}")
def test_an_injected_deviation_is_caught_and_named(injected: Injected, prove: Prove):
    def edit(source: str) -> str:
        return injected.edit(source).replace("def network()", HELPERS + "def network()")

    proof = prove(injected.workload, edit)
    assert proof.outcome.status == "unequal"
    assert (proof.diagnosis, proof.first_layer) == (injected.name, injected.place)
    assert proof.detail == injected.detail or not injected.detail
    assert injected.name in proof.outcome.reason


@pytest.mark.parametrize(
    ("name", "update"),
    [
        ("no-bias-correction", "m / (v.sqrt() + 1e-8)"),
        ("epsilon-inside-root", "(m / c) / (v / d + 1e-8).sqrt()"),
        ("epsilon-correction", "(d**0.5 / c) * m / (v.sqrt() + 1e-8)"),
        ("", "(m / c) / ((v / d).sqrt() + 1e-8)"),
    ],
)
def test_hand_written_adam(name: str, update: str, prove: Prove):
    proof = prove(NORMED, _adam(update))
    assert (proof.outcome.status, proof.diagnosis or "") == ("unequal" if name else "ok", name)


def test_swapping_relu_and_max_pool_is_harmless(prove: Prove):
    written = "F.max_pool2d(F.relu(self.conv1(x)), 2)"

    def edit(source: str) -> str:
        assert written in source
        return source.replace(written, "F.relu(F.max_pool2d(self.conv1(x), 2))")

    assert prove(MAXING, edit).ok


def test_every_deviation_of_the_catalogue_was_injected():
    adams = {"no-bias-correction", "epsilon-inside-root", "epsilon-correction"}
    over_sequences = {d.name for d in RECURRENT}  # test_proof_pytorch_recurrent.py
    assert {d.name for d in CATALOGUE} == {i.name for i in INJECTED} | adams | over_sequences
