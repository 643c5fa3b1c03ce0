"""Each deviation of recurrent layers put into a real program: caught, and called by its name."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from pytorch_trials import Prove
from small_workloads import BOTH_WAYS, ONE_STEP, RESETTING, SEQUENCES, TEXTS, TURNING

from tensorstone.models import GRU, Dense, LastStep, Model
from tensorstone.models.workload import Workload
from tensorstone.proof.deviations.recurrent import RECURRENT

pytestmark = pytest.mark.frameworks("pytorch")

# Cells written by hand, as they are before something goes wrong in them.
CELLS = """class OwnLSTM(nn.LSTM):
    def __init__(self, *args, **settings):
        super().__init__(*args, **settings)

    def forward(self, x):
        h = c = x.new_zeros(len(x), self.hidden_size)
        outputs = []
        for step in x.unbind(1):
            a = F.linear(step, self.weight_ih_l0, self.bias_ih_l0)
            a = a + F.linear(h, self.weight_hh_l0, self.bias_hh_l0)
            i, f, g, o = a.chunk(4, 1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
            outputs.append(h)
        return torch.stack(outputs, 1), (h[None], c[None])


class OwnGRU(nn.GRU):
    def forward(self, x):
        h = x.new_zeros(len(x), self.hidden_size)
        for step in x.unbind(1):
            ar, az, an = F.linear(step, self.weight_ih_l0, self.bias_ih_l0).chunk(3, 1)
            ur, uz, un = self.weight_hh_l0.chunk(3)
            br, bz, bn = self.bias_hh_l0.chunk(3)
            r = torch.sigmoid(ar + F.linear(h, ur, br))
            z = torch.sigmoid(az + F.linear(h, uz, bz))
            n = torch.tanh(an + r * F.linear(h, un, bn))
            h = (1 - z) * n + z * h
        return None, h[None]


AVERAGES = "exp_avg", "exp_avg_sq"


class LazyAdam(torch.optim.Adam):
    def step(self):
        (table,) = [w for w in self.param_groups[0]["params"] if w.shape == (40, 5)]
        idle = ~table.grad.any(1)
        state = self.state[table]
        kept = table.detach().clone(), *(state[k].clone() for k in AVERAGES if state)
        super().step()
        for array, old in zip((table.detach(), *(state[k] for k in AVERAGES)), kept):
            array[idle] = old[idle]


def padded_left(texts):
    return torch.stack([text.roll(int((text.flip(0).cumsum(0) == 0).sum())) for text in texts])


def network():"""

OWN_LSTM = ("nn.LSTM(5", "OwnLSTM(5")
NO_BIAS = "a = F.linear(step, self.weight_ih_l0)"
OWN_GRU = ("nn.GRU(6", "OwnGRU(6")
PEEPING = (
    ("**settings)\n\n", "**settings)\n        self.p = nn.Parameter(torch.{start}(3, 6))\n\n"),
    ("chunk(4, 1)\n", "chunk(4, 1)\n            i, f = i + self.p[0] * c, f + self.p[1] * c\n"),
    ("torch.sigmoid(o)", "torch.sigmoid(o + self.p[2] * c)"),
)
UNLINKED = (
    OWN_LSTM,
    ("self.weight_ih_l0, self.bias_ih_l0)", "self.own[0], self.own[2])"),
    ("self.weight_hh_l0,", "self.own[1],"),
    (
        "**settings)\n\n",
        "**settings)\n        given = self.weight_ih_l0, self.weight_hh_l0, self.bias_ih_l0\n"
        "        self.own = nn.ParameterList([torch.zeros_like(w) for w in given])\n\n",
    ),
)


@dataclass(frozen=True)
class Injected:
    """A deviation, written into a program by replacing some of its text."""

    name: str
    workload: Workload
    place: str | None
    edits: tuple[tuple[str, str], ...]
    detail: str = ""


def _peeping(start: str) -> tuple[tuple[str, str], ...]:
    return (OWN_LSTM, *((old, new.replace("{start}", start)) for old, new in PEEPING))


INJECTED = [
    Injected(
        "gates-swapped",
        TEXTS,
        "lstm1",
        (OWN_LSTM, ("i, f, g, o = a", "i, g, f, o = a")),
        "taken as i, g, f, o",
    ),
    Injected(
        "gates-swapped",
        TEXTS,
        "lstm1",
        (OWN_LSTM, ("i, f, g, o = a", "i, f, o, g = a")),
        "taken as i, f, o, g",
    ),
    Injected(
        "gates-swapped",
        TEXTS,
        "gru1",
        (
            OWN_GRU,
            ("ar, az, an =", "az, ar, an ="),
            ("ur, uz, un =", "uz, ur, un ="),
            ("br, bz, bn =", "bz, br, bn ="),
        ),
        "taken as z, r, n",
    ),
    Injected(
        "update-gate-negated",
        TEXTS,
        "gru1",
        (OWN_GRU, ("(1 - z) * n + z * h", "z * n + (1 - z) * h")),
    ),
    Injected(
        "reset-before",
        TEXTS,
        "gru1",
        (OWN_GRU, ("r * F.linear(h, un, bn)", "F.linear(r * h, un, bn)")),
    ),
    Injected(
        "forget-bias-one", TEXTS, "lstm1", (OWN_LSTM, ("torch.sigmoid(f)", "torch.sigmoid(f + 1)"))
    ),
    Injected("cell-state-returned", ONE_STEP, "lstm1", (("_, (h, _) = self", "_, (_, h) = self"),)),
    Injected(
        "cell-state-returned",
        TEXTS,
        "lstm1",
        (OWN_LSTM, ("outputs.append(h)", "outputs.append(c)")),
    ),
    Injected("state-stuck-at-zero", TEXTS, "gru1", (("self.gru1(x)", "self.gru1(x[:, -1:])"),)),
    Injected(
        "state-stuck-at-zero",
        TEXTS,
        "lstm1",
        (("x, _ = self.lstm1(x)", "x = torch.cat([self.lstm1(s)[0] for s in x.split(1, 1)], 1)"),),
    ),
    Injected("cell-run-once", TEXTS, "gru1", (("self.gru1(x)", "self.gru1(x[:, :1])"),)),
    Injected(
        "batch-as-time", TEXTS, "lstm1", (("nn.LSTM(5, 6, batch_first=True", "nn.LSTM(5, 6"),)
    ),
    Injected(
        "batch-as-time",
        TEXTS,
        "gru1",
        (("4, batch_first=True", "4"), ("_, h = self", "h, _ = self"), ("h[-1]", "h[:, -1]")),
    ),
    Injected(
        "backward-first-step",
        TURNING,
        "gru1",
        (("_, h = self.gru1", "x, _ = self.gru1"), ("torch.cat([h[0], h[1]], dim=1)", "x[:, -1]")),
    ),
    Injected(
        "backward-not-reversed",
        BOTH_WAYS,
        "lstm1",
        (
            (
                "x, _ = self.lstm1(x)",
                "a, b = self.lstm1(x)[0], self.lstm1(x.flip(1))[0].flip(1)\n"
                "        x = torch.cat([a[..., :4], b[..., 4:]], 2)",
            ),
        ),
    ),
    Injected(
        "backward-outputs-reversed",
        BOTH_WAYS,
        "lstm1",
        (
            (
                "x, _ = self.lstm1(x)",
                "x, _ = self.lstm1(x)\n        x = torch.cat([x[..., :4], x[..., 4:].flip(1)], 2)",
            ),
        ),
    ),
    *(
        Injected("bias-trained-twice", w, place, ((".requires_grad_(False)", ""),))
        for w, place in ((TEXTS, "lstm1"), (BOTH_WAYS, "lstm1"), (TURNING, "gru1"))
    ),
    Injected("peepholes", TEXTS, "lstm1", _peeping("zeros"), "that begin at 0"),
    Injected("peepholes", TEXTS, "lstm1", _peeping("ones"), "that begin at 1"),
    Injected("weights-unused", TEXTS, "lstm1", UNLINKED),
    Injected(
        "weights-unused",
        TEXTS,
        "lstm1",
        (*UNLINKED, ("self.own[2]", "self.own[2][:6].repeat(4)")),
        "and all gates take the first one's bias",
    ),
    Injected("padding-left", TEXTS, "embed1", (("self.embed1(x)", "self.embed1(padded_left(x))"),)),
    Injected("lazy-rows", TEXTS, "embed1", (("torch.optim.Adam(", "LazyAdam("),)),
    Injected(
        "missing-bias",
        TEXTS,
        "lstm1",
        (OWN_LSTM, ("a = F.linear(step, self.weight_ih_l0, self.bias_ih_l0)", NO_BIAS)),
    ),
]


def _edited(source: str, edits: tuple[tuple[str, str], ...]) -> str:
    if "as F\n" not in source:
        source = source.replace("import torch\n", "import torch\nimport torch.nn.functional as F\n")
    source = source.replace("def network():", CELLS)
    for old, new in edits:
        source = source.replace(old, new)
    return source


@pytest.mark.parametrize("injected", INJECTED, ids=lambda i: f"{i.name}-{i.place}")
def test_an_injected_deviation_is_caught_and_named(injected: Injected, prove: Prove):
    proof = prove(injected.workload, lambda source: _edited(source, injected.edits))
    assert proof.outcome.status == "unequal"
    assert (proof.diagnosis, proof.first_layer) == (injected.name, injected.place)
    assert proof.detail == injected.detail or not injected.detail
    assert injected.name in proof.outcome.reason


@pytest.mark.parametrize("edits", [(OWN_LSTM,), (OWN_GRU,)], ids=["lstm", "gru"])
def test_a_cell_written_by_hand_is_right(edits, prove: Prove):
    assert prove(TEXTS, lambda source: _edited(source, edits)).ok


def test_the_other_reset_is_caught_and_named(prove: Prove):
    """PyTorch's own layer resets after the product; here before it is meant."""
    layers = [GRU(4, sequence=True), LastStep(), Dense(2)]
    fused = replace(RESETTING, model=Model("Net", RESETTING.model.inputs, layers))
    proof = prove(RESETTING, written=fused)
    assert (proof.outcome.status, proof.diagnosis) == ("unequal", "reset-after")
    assert proof.first_layer == "gru1"


@pytest.mark.parametrize(
    "workload", [w for w in SEQUENCES if w is not RESETTING], ids=lambda w: w.name
)
def test_what_is_right_has_no_name(workload: Workload, prove: Prove):
    proof = prove(workload)
    assert proof.ok, proof.outcome.reason
    assert proof.diagnosis is None


@pytest.mark.parametrize(
    "edits",
    [(("self.lstm1(x)", "self.lstm1(x[:, :1])"),), (("self.lstm1(x)", "self.lstm1(x.flip(1))"),)],
    ids=["run-once", "reversed"],
)
def test_with_one_step_there_is_nothing_to_get_wrong(edits, prove: Prove):
    assert prove(ONE_STEP, lambda source: _edited(source, edits)).ok


def test_every_deviation_of_recurrent_layers_was_injected():
    assert {d.name for d in RECURRENT} <= {i.name for i in INJECTED} | {"reset-after"}
