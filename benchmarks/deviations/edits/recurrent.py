"""Recurrent cells with another formula, another state or another step as their result."""

from __future__ import annotations

from benchmarks.deviations.deviation import Deviation, Edit, before, deviation, swap, torch_module
from benchmarks.deviations.nets import SERIES, SERIES_ONE_BIAS, TEXTS, TEXTS_ONE_BIAS

GRU = """class HandMadeGRU(nn.GRU):
    def forward(self, x):
        h = x.new_zeros(len(x), self.hidden_size)
        for t in range(x.shape[1]):
            i = x[:, t] @ self.weight_ih_l0.T + self.bias_ih_l0
            s = h @ self.weight_hh_l0.T + self.bias_hh_l0
            (ir, iz, i_n), (sr, sz, sn) = i.chunk(3, 1), s.chunk(3, 1)
            r, z = torch.sigmoid(ir + sr), torch.sigmoid(iz + sz)
            n = torch.tanh(i_n + r * sn)
            h = (1 - z) * n + z * h
        return None, h[None]


"""
LSTM = """class HandMadeLSTM(nn.LSTM):
    def forward(self, x):
        h = c = x.new_zeros(len(x), self.hidden_size)
        outputs = []
        for t in range(x.shape[1]):
            sums = x[:, t] @ self.weight_ih_l0.T + self.bias_ih_l0
            sums = sums + h @ self.weight_hh_l0.T + self.bias_hh_l0
            i, f, g, o = sums.chunk(4, 1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
            outputs.append(h)
        return torch.stack(outputs, 1), (h[None], c[None])


"""


def gru(old: str, new: str) -> Edit:
    """The series' GRU in PyTorch by hand, with something changed in it."""
    assert GRU.count(old) == 1, old
    return torch_module(GRU.replace(old, new)) + swap("nn.GRU(5", "HandMadeGRU(5")


def lstm(old: str, new: str, layer: int = 1) -> Edit:
    """One of the two LSTM layers over texts in PyTorch by hand, with something changed in it."""
    assert LSTM.count(old) == 1, old
    layers = {1: "nn.LSTM(6", 2: "nn.LSTM(5"}
    there = layers[layer]
    return torch_module(LSTM.replace(old, new)) + swap(there, f"HandMadeLSTM({there[-1]}")


DEVIATIONS: tuple[Deviation, ...] = (
    deviation(
        "gru-reset-before",
        SERIES,
        "the GRU's reset gate scales the state before its product",
        where="gru1",
        says=("reset",),
        torch=gru("r * sn", "(r * h) @ self.weight_hh_l0[-4:].T + self.bias_hh_l0[-4:]"),
    ),
    deviation(
        "gru-update-meaning",
        SERIES,
        "the GRU's update gate keeps the new value where it should keep the old",
        where="gru1",
        says=("update|gate z|\\bz\\b|gate",),
        blind=True,
        torch=gru("(1 - z) * n + z * h", "z * n + (1 - z) * h"),
    ),
    deviation(
        "gru-gate-order",
        SERIES,
        "the GRU's gates are read in the order z, r, n",
        where="gru1",
        says=("gate|order", "order|swapp|exchang|z, r|permut"),
        torch=gru("(ir, iz, i_n), (sr, sz, sn)", "(iz, ir, i_n), (sz, sr, sn)"),
    ),
    deviation(
        "gru-second-bias-outside",
        SERIES,
        "the GRU's reset gate does not scale the state's bias",
        where="gru1",
        says=("bias",),
        blind=True,
        torch=gru("r * sn", "r * (sn - self.bias_hh_l0[-4:]) + self.bias_hh_l0[-4:]"),
    ),
    deviation(
        "gates-hard-sigmoid",
        TEXTS_ONE_BIAS,
        "the first LSTM's gates use a hard sigmoid, as Keras 1 did",
        where="lstm1",
        says=("hard",),
        blind=True,
        keras=swap("layers.LSTM(5, ", 'layers.LSTM(5, recurrent_activation="hard_sigmoid", '),
        flax=swap("OptimizedLSTMCell(6, 5, ", "OptimizedLSTMCell(6, 5, gate_fn=nnx.hard_sigmoid, "),
    ),
    deviation(
        "gru-gates-hard-sigmoid",
        SERIES,
        "the GRU's gates use a hard sigmoid, as Keras 1 did",
        where="gru1",
        says=("hard",),
        blind=True,
        torch=gru(
            "torch.sigmoid(ir + sr), torch.sigmoid(iz + sz)",
            "nn.functional.hardsigmoid(ir + sr), nn.functional.hardsigmoid(iz + sz)",
        ),
        flax=swap("TwoBiasGRUCell(5, 4, rngs=rngs)", "TwoBiasGRUCell(5, 4, rngs)")
        + swap(
            "super().__init__(features, units, rngs=rngs)",
            "super().__init__(features, units, gate_fn=nnx.hard_sigmoid, rngs=rngs)",
            2,
            1,
        ),
    ),
    deviation(
        "lstm-forget-bias",
        TEXTS,
        "1 is added to the first LSTM's forget gate",
        where="lstm1",
        says=("forget", r"\b1\b|\bone\b|1\.0"),
        torch=lstm("torch.sigmoid(f)", "torch.sigmoid(f + 1)"),
    ),
    deviation(
        "lstm-forget-bias-set",
        TEXTS_ONE_BIAS,
        "1 is added to the second LSTM's forget gate",
        where="lstm2",
        says=("forget", r"\b1\b|\bone\b|1\.0"),
        flax=before(
            "class Reader",
            "class ForgetfulCell(nnx.OptimizedLSTMCell):\n"
            "    def __call__(self, carry, inputs):\n"
            "        c, h = carry\n"
            "        i, f, g, o = jnp.split(self.dense_i(inputs) + self.dense_h(h), 4, axis=-1)\n"
            "        c = nnx.sigmoid(f + 1) * c + nnx.sigmoid(i) * nnx.tanh(g)\n"
            "        h = nnx.sigmoid(o) * nnx.tanh(c)\n"
            "        return (c, h), h\n\n\n",
        )
        + swap("nnx.OptimizedLSTMCell(5, 4", "ForgetfulCell(5, 4")
        + swap("import numpy as np", "import jax.numpy as jnp\nimport numpy as np"),
    ),
    deviation(
        "lstm-gate-order",
        TEXTS,
        "the second LSTM's gates are read in the order i, g, f, o",
        where="lstm2",
        says=("gate|order", "order|swapp|exchang|permut|i, ?g"),
        torch=lstm("i, f, g, o =", "i, g, f, o =", 2),
    ),
    deviation(
        "lstm-state-without-tanh",
        TEXTS,
        "the first LSTM gives its cell out without tanh",
        where="lstm1",
        says=("tanh|activation|linear|output",),
        blind=True,
        torch=lstm("torch.tanh(c)", "c"),
    ),
    deviation(
        "lstm-coupled-gates",
        TEXTS,
        "the first LSTM's input gate is 1 − forget",
        where="lstm1",
        says=("coupl|1 ?[-−]|input gate|gate",),
        blind=True,
        torch=lstm("torch.sigmoid(i) *", "(1 - torch.sigmoid(f)) *"),
    ),
    deviation(
        "lstm-cell-clipped",
        TEXTS,
        "the first LSTM's cell is clipped at ±0.2",
        where="lstm1",
        says=("clip|limit|cap|between", r"0\.2"),
        blind=True,
        torch=lstm(
            "            h = torch.sigmoid(o)",
            "            c = c.clamp(-0.2, 0.2)\n            h = torch.sigmoid(o)",
        ),
    ),
    deviation(
        "state-of-ones",
        TEXTS,
        "the first LSTM begins with states of ones",
        where="lstm1",
        says=("initial|first|begin|start|state", "state|one|1"),
        blind=True,
        torch=swap(
            "x, _ = self.lstm1(x)",
            "ones = torch.ones(1, len(x), 5)\n        x, _ = self.lstm1(x, (ones, ones))",
        ),
    ),
    deviation(
        "state-carried-over",
        TEXTS,
        "the second LSTM begins a batch with the states that the last one left",
        where="lstm2",
        says=("state|carr|stateful|batch before|previous",),
        blind=True,
        torch=swap(
            "_, (h, _) = self.lstm2(x)  # h: the state after the last step",
            'kept = getattr(self, "kept", None)\n'
            "        fits = self.training and kept is not None\n"
            "        _, (h, c) = self.lstm2(x, kept if fits else None)\n"
            "        if self.training:\n            self.kept = h.detach(), c.detach()",
        ),
    ),
    deviation(
        "gradient-through-time-cut",
        TEXTS,
        "no gradient goes through the first LSTM's state further than one step",
        where="lstm1",
        says=("truncat|through time|detach|step|gradient",),
        blind=True,
        torch=lstm(
            "            outputs.append(h)",
            "            outputs.append(h)\n            h, c = h.detach(), c.detach()",
        ),
    ),
    deviation(
        "first-step",
        TEXTS_ONE_BIAS,
        "the first step's output where the last one's should be",
        where="lstm2|last|step",
        says=("first|step",),
        torch=swap(
            "_, (h, _) = self.lstm2(x)  # h: the state after the last step",
            "h, _ = self.lstm2(x)\n        h = h[:, 0][None]",
        ),
        flax=swap("self.lstm2(x)[:, -1]", "self.lstm2(x)[:, 0]"),
        gluon=swap("self.fc1(x[:, -1])", "self.fc1(x[:, 0])"),
        keras=swap(
            "layers.LSTM(4),",
            "layers.LSTM(4, return_sequences=True), layers.Lambda(lambda v: v[:, 0]),",
        ),
    ),
    deviation(
        "mean-of-steps",
        TEXTS_ONE_BIAS,
        "the mean of all steps where the last one should be",
        where="lstm2|last|step",
        says=("mean|averag|all steps",),
        blind=True,
        torch=swap(
            "_, (h, _) = self.lstm2(x)  # h: the state after the last step",
            "h, _ = self.lstm2(x)\n        h = h.mean(1)[None]",
        ),
        flax=swap("self.lstm2(x)[:, -1]", "self.lstm2(x).mean(1)"),
        keras=swap(
            "layers.LSTM(4),",
            "layers.LSTM(4, return_sequences=True), layers.GlobalAveragePooling1D(),",
        ),
    ),
    deviation(
        "cell-for-output",
        TEXTS_ONE_BIAS,
        "the second LSTM's cell state where its output should be",
        where="lstm2",
        says=("cell|state|tanh|output",),
        blind=True,
        torch=swap("_, (h, _) = self.lstm2(x)", "_, (_, h) = self.lstm2(x)"),
    ),
    deviation(
        "batch-first-missing",
        TEXTS,
        "the first LSTM takes the batch for the time: batch_first is left out",
        where="lstm1",
        says=("batch", "time|axis|axes|order|first|transpos"),
        blind=True,
        torch=swap("nn.LSTM(6, 5, batch_first=True)", "nn.LSTM(6, 5)"),
    ),
    deviation(
        "second-bias-trained",
        SERIES_ONE_BIAS,
        "the LSTM's second bias trains too, so that gates move twice as fast",
        where="lstm1",
        says=("bias", "two|twice|second|both|doubl"),
        blind=True,
        torch=swap("one_bias(nn.LSTM(5, 4, batch_first=True))", "nn.LSTM(5, 4, batch_first=True)"),
        gluon=swap('one_bias(gluon.rnn.LSTM(4, layout="NTC"))', 'gluon.rnn.LSTM(4, layout="NTC")'),
    ),
    deviation(
        "rnn-relu",
        SERIES,
        "the simple recurrent layer uses ReLU for tanh",
        where="rnn1",
        says=("relu",),
        blind=True,
        torch=swap("nn.RNN(3, 6, ", 'nn.RNN(3, 6, nonlinearity="relu", '),
        gluon=swap('gluon.rnn.RNN(6, activation="tanh"', 'gluon.rnn.RNN(6, activation="relu"'),
        flax=swap(
            "super().__init__(features, units, rngs=rngs)",
            "super().__init__(features, units, activation_fn=nnx.relu, rngs=rngs)",
            2,
            0,
        ),
    ),
    deviation(
        "rnn-relu-one-bias",
        SERIES_ONE_BIAS,
        "the simple recurrent layer uses ReLU for tanh",
        where="rnn1",
        says=("relu",),
        blind=True,
        keras=swap("layers.SimpleRNN(6, ", 'layers.SimpleRNN(6, activation="relu", '),
    ),
)
