"""Another activation than the model's, or one too many or too few."""

from __future__ import annotations

from typing import Any

from benchmarks.deviations.deviation import Deviation, Edit, deviation, swap
from benchmarks.deviations.nets import ABSOLUTE, CLASSIFIER, LENET, LOPSIDED, SMOOTH


def relu2(torch: str, keras: str, flax: str, gluon: str) -> dict[str, Any]:
    """The classifier's second ReLU, written otherwise; `v` is what it reads."""
    return {
        "torch": swap("F.relu(self.fc2(x))", f"(lambda v: {torch})(self.fc2(x))"),
        "keras": swap('Dense(12, activation="relu")', f"Dense(12, activation=lambda v: {keras})"),
        "flax": swap("nnx.relu(self.fc2(x))", f"(lambda v: {flax})(self.fc2(x))"),
        "gluon": swap(
            'nn.Dense(12, activation="relu")', f"nn.Dense(12), nn.Lambda(lambda v: {gluon})"
        ),
        "where": "relu2|fc2",
    }


def named(old: str, torch: str, keras: str, flax: str, gluon: str) -> dict[str, Edit]:
    """One smooth activation, in the words each dialect has for it: `old` says which."""
    words = {
        "gelu": ("F.gelu(", '"gelu"', "nnx.gelu(self.fc1(x), approximate=False)", "nn.GELU()"),
        "silu": ("F.silu(", '"silu"', "nnx.silu(self.fc2(x))", "nn.Swish()"),
        "softplus": ("F.softplus(", '"softplus"', "nnx.softplus(self.fc3(x))", '"softrelu"'),
        "sigmoid": ("torch.sigmoid(", '"sigmoid"', "nnx.sigmoid(self.fc3(x))", '"sigmoid"'),
        "tanh": ("torch.tanh(", '"tanh"', "nnx.tanh(self.fc1(x))", '"tanh"'),
    }[old]
    new = {"torch": torch, "keras": keras, "flax": flax, "gluon": gluon}
    return {name: swap(word, new[name]) for name, word in zip(new, words, strict=True) if new[name]}


DEVIATIONS: tuple[Deviation, ...] = (
    deviation(
        "relu6",
        CLASSIFIER,
        "ReLU6 for ReLU",
        says=("min|clip|cap|limit|relu6|at most|above", "6"),
        **relu2("F.relu6(v)", "keras.ops.relu6(v)", "nnx.relu6(v)", "v.clip(0, 6)"),
    ),
    deviation(
        "elu",
        CLASSIFIER,
        "ELU for ReLU",
        says=(r"\belu\b",),
        **relu2(
            "F.elu(v)",
            "keras.ops.elu(v)",
            "nnx.elu(v)",
            'mx.nd.LeakyReLU(v, act_type="elu", slope=1.0)',
        ),
    ),
    deviation(
        "silu",
        CLASSIFIER,
        "SiLU for ReLU",
        says=("silu|swish",),
        **relu2("F.silu(v)", "keras.ops.silu(v)", "nnx.silu(v)", "v * v.sigmoid()"),
    ),
    deviation(
        "leaky-for-relu",
        CLASSIFIER,
        "a leaky ReLU of slope 0.01 for ReLU",
        says=("leak|slope", "0?.01"),
        **relu2(
            "F.leaky_relu(v)",
            "keras.ops.leaky_relu(v, 0.01)",
            "nnx.leaky_relu(v)",
            "mx.nd.LeakyReLU(v, slope=0.01)",
        ),
    ),
    deviation(
        "softplus-for-relu",
        CLASSIFIER,
        "softplus for ReLU",
        says=("softplus",),
        **relu2(
            "F.softplus(v)",
            "keras.ops.softplus(v)",
            "nnx.softplus(v)",
            'mx.nd.Activation(v, "softrelu")',
        ),
    ),
    deviation(
        "activations-clipped",
        CLASSIFIER,
        "activations clipped at 1",
        says=("min|clip|cap|limit|at most|above|hard", r"\b1\b"),
        **relu2("v.clamp(0, 1)", "keras.ops.clip(v, 0, 1)", "v.clip(0, 1)", "v.clip(0, 1)"),
    ),
    deviation(
        "activation-missing",
        CLASSIFIER,
        "no activation after the second dense layer",
        says=("missing|without|no activation|left out|identity|linear|skipped|not applied|absent",),
        **relu2("v", "v", "v", "v"),
    ),
    deviation(
        "absolute-value",
        CLASSIFIER,
        "|x| for ReLU",
        says=(r"abs|\|x\||magnitude|slope −1|slope -1",),
        blind=True,
        **relu2("v.abs()", "keras.ops.abs(v)", "abs(v)", "v.abs()"),
    ),
    deviation(
        "squared-relu",
        CLASSIFIER,
        "squared ReLU for ReLU",
        says=("squar|power|²",),
        blind=True,
        **relu2(
            "F.relu(v) ** 2", "keras.ops.relu(v) ** 2", "nnx.relu(v) ** 2", "mx.nd.relu(v) ** 2"
        ),
    ),
    deviation(
        "tanh-gelu",
        SMOOTH,
        "GELU's tanh approximation for the exact one",
        where="gelu1|fc1",
        says=("tanh|approx",),
        **named(
            "gelu",
            'F.gelu(approximate="tanh", input=',
            "lambda v: keras.ops.gelu(v, approximate=True)",
            "nnx.gelu(self.fc1(x))",
            "nn.Lambda(lambda v: v * (1 + (0.7978845608 * (v + 0.044715 * v**3)).tanh()) / 2)",
        ),
    ),
    deviation(
        "quick-gelu",
        SMOOTH,
        "x · sigmoid(1.702 x) for GELU",
        where="gelu1|fc1",
        says=("1.70|quick|sigmoid",),
        blind=True,
        **named(
            "gelu",
            "(lambda v: v * torch.sigmoid(1.702 * v))(",
            "lambda v: v * keras.ops.sigmoid(1.702 * v)",
            "(lambda v: v * nnx.sigmoid(1.702 * v))(self.fc1(x))",
            "nn.Lambda(lambda v: v * (1.702 * v).sigmoid())",
        ),
    ),
    deviation(
        "mish",
        SMOOTH,
        "Mish for SiLU",
        where="silu1|fc2",
        says=("mish",),
        blind=True,
        **named(
            "silu",
            "F.mish(",
            '"mish"',
            "(lambda v: v * nnx.tanh(nnx.softplus(v)))(self.fc2(x))",
            'nn.Lambda(lambda v: v * mx.nd.Activation(v, "softrelu").tanh())',
        ),
    ),
    deviation(
        "hard-swish",
        SMOOTH,
        "hard swish for SiLU",
        where="silu1|fc2",
        says=("hard",),
        blind=True,
        **named(
            "silu",
            "F.hardswish(",
            '"hard_silu"',
            "nnx.hard_swish(self.fc2(x))",
            "nn.Lambda(lambda v: v * (v + 3).clip(0, 6) / 6)",
        ),
    ),
    deviation(
        "softplus-beta",
        SMOOTH,
        "softplus of a steepness of 2: log(1 + e²ˣ) / 2",
        where="softplus1|fc3",
        says=("softplus|steep|beta|scale|sharp", r"\b2\b|twice|doubl"),
        blind=True,
        **named(
            "softplus",
            "F.softplus(beta=2, input=",
            "lambda v: keras.ops.softplus(2 * v) / 2",
            "nnx.softplus(2 * self.fc3(x)) / 2",
            "",
        ),
    ),
    deviation(
        "hard-sigmoid",
        ABSOLUTE,
        "a hard sigmoid for the sigmoid",
        where="sigmoid1|fc3",
        says=("hard",),
        **named(
            "sigmoid",
            "F.hardsigmoid(",
            '"hard_sigmoid"',
            "nnx.hard_sigmoid(self.fc3(x))",
            "",
        ),
    ),
    deviation(
        "leaky-slope",
        ABSOLUTE,
        "a leaky ReLU's slope of 0.3, Keras's own, for 0.1",
        where="leaky1|fc2",
        says=("slope|leak", "0?.3"),
        torch=swap("F.leaky_relu(self.fc2(x), 0.1)", "F.leaky_relu(self.fc2(x), 0.3)"),
        keras=swap("layers.LeakyReLU(0.1)", "layers.LeakyReLU()"),
        flax=swap("nnx.leaky_relu(self.fc2(x), 0.1)", "nnx.leaky_relu(self.fc2(x), 0.3)"),
        gluon=swap("nn.LeakyReLU(0.1)", "nn.LeakyReLU(0.3)"),
    ),
    deviation(
        "scaled-tanh",
        ABSOLUTE,
        "LeCun's 1.7159 tanh(2/3 x) for tanh",
        where="tanh1|fc1",
        says=("1.7|scal|lecun",),
        blind=True,
        **named(
            "tanh",
            "1.7159 * torch.tanh(2 / 3 * ",
            "lambda v: 1.7159 * keras.ops.tanh(2 / 3 * v)",
            "1.7159 * nnx.tanh(2 / 3 * self.fc1(x))",
            "",
        ),
    ),
    deviation(
        "activation-twice",
        ABSOLUTE,
        "the first tanh is applied twice",
        where="tanh1|fc1",
        says=("twice|two|again|second|repeat",),
        blind=True,
        **named(
            "tanh",
            "(lambda v: torch.tanh(torch.tanh(v)))(",
            "lambda v: keras.ops.tanh(keras.ops.tanh(v))",
            "nnx.tanh(nnx.tanh(self.fc1(x)))",
            "",
        ),
    ),
    deviation(
        "outputs-activated",
        LENET,
        "a ReLU after the last layer",
        where="fc2|output",
        says=("relu|negative|activation|clip",),
        blind=True,
        torch=swap("return self.fc2(x)", "return F.relu(self.fc2(x))"),
        keras=swap("layers.Dense(4)", 'layers.Dense(4, activation="relu")'),
        flax=swap("return self.fc2(x)", "return nnx.relu(self.fc2(x))"),
        gluon=swap("nn.Dense(4)", 'nn.Dense(4, activation="relu")'),
    ),
    deviation(
        "activation-after-pool",
        LOPSIDED,
        "the second ReLU after the average pool instead of before",
        where="relu2|pool2|conv2",
        says=("after|order|swapp|before|chang.* places|exchang",),
        torch=swap(
            "F.relu(self.conv2(F.pad(x, (1, 0, 2, 0))))", "self.conv2(F.pad(x, (1, 0, 2, 0)))"
        )
        + swap("x = torch.flatten(x, 1)", "x = torch.flatten(F.relu(x), 1)"),
        keras=swap('Conv2D(5, (3, 2), activation="relu")', "Conv2D(5, (3, 2))")
        + swap(
            "x = average_pool(x, 3, 2, padding=1)",
            "x = keras.ops.relu(average_pool(x, 3, 2, padding=1))",
        ),
        flax=swap("nnx.relu(self.conv2(x))", "self.conv2(x)")
        + swap("x = x.reshape(", "x = nnx.relu(x)\n        x = x.reshape("),
        gluon=swap('(3, 2), activation="relu"', "(3, 2)")
        + swap("return self.fc1(x)", "return self.fc1(mx.nd.relu(x))"),
    ),
)
