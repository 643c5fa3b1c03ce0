"""Another optimiser, or the same one with other numbers or another formula."""

from __future__ import annotations

from typing import Any

from benchmarks.deviations.deviation import Deviation, Edit, deviation, swap, torch_module
from benchmarks.deviations.nets import CLASSIFIER, DECAYING, DEPTHWISE, LENET, NESTEROV, RESIDUAL

ADAM = {
    "torch": "torch.optim.Adam(net.parameters(), lr=1e-3)",
    "keras": "keras.optimizers.Adam(learning_rate=1e-3, epsilon=1e-8)",
    "flax": "optax.adam(1e-3)",
    "gluon": '"adam", {"learning_rate": 1e-3}',
}
MOMENTUM = {
    "torch": "torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)",
    "keras": "keras.optimizers.SGD(learning_rate=0.05, momentum=0.9)",
    "flax": "optax.sgd(0.05, momentum=0.9)",
    "gluon": '"sgd", {"learning_rate": 0.05, "momentum": 0.9}',
}
NAG = {
    "torch": "torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9, nesterov=True)",
    "keras": "keras.optimizers.SGD(learning_rate=0.02, momentum=0.9, nesterov=True)",
    "flax": "optax.sgd(0.02, momentum=0.9, nesterov=True)",
    "gluon": '"nag", {"learning_rate": 0.02, "momentum": 0.9}',
}
RMSPROP = {
    "torch": "torch.optim.RMSprop(net.parameters(), lr=1e-3, alpha=0.9, eps=1e-7)",
    "keras": "RMSprop(learning_rate=1e-3)",
    "flax": "optax.rmsprop(1e-3, eps=1e-7, eps_in_sqrt=False)",
    "gluon": '"plainrmsprop", {"learning_rate": 1e-3}',
}
SGD = {
    "torch": "torch.optim.SGD(net.parameters(), lr=0.05)",
    "keras": "keras.optimizers.SGD(learning_rate=0.05)",
    "flax": "optax.sgd(0.05)",
    "gluon": '"sgd", {"learning_rate": 0.05}',
}


def with_more(was: dict[str, str], **more: str) -> dict[str, Any]:
    """An argument more in each dialect that has it."""
    return {
        name: swap(was[name], f"{was[name][:-1]}, {argument}{was[name][-1]}")
        for name, argument in more.items()
    }


def instead(was: dict[str, str], **new: str) -> dict[str, Any]:
    return {name: swap(was[name], text) for name, text in new.items()}


HAND = """class HandMadeAdam(torch.optim.Optimizer):
    def __init__(self, params, lr):
        super().__init__(params, {{"lr": lr}})

    @torch.no_grad()
    def step(self):
        for p in self.param_groups[0]["params"]:
            s = self.state[p]
            if not s:
                s.update(t=0, m=torch.zeros_like(p), v=torch.zeros_like(p))
            g, lr = p.grad, self.param_groups[0]["lr"]
            s["t"] += 1
            s["m"] = 0.9 * s["m"] + 0.1 * g
            s["v"] = 0.999 * s["v"] + 0.001 * g * g
            t, m, v = s["t"], s["m"], s["v"]
            {update}


"""


def adam(update: str) -> Edit:
    """Adam in PyTorch by hand, with another last line."""
    return torch_module(HAND.format(update=update)) + swap("torch.optim.Adam(", "HandMadeAdam(")


DEVIATIONS: tuple[Deviation, ...] = (
    deviation(
        "adam-amsgrad",
        CLASSIFIER,
        "AMSGrad for Adam",
        says=("amsgrad",),
        **with_more(ADAM, torch="amsgrad=True", keras="amsgrad=True")
        | instead(ADAM, flax="optax.amsgrad(1e-3)"),
    ),
    deviation(
        "adam-nadam",
        CLASSIFIER,
        "NAdam for Adam",
        says=("nadam|nesterov",),
        **instead(
            ADAM,
            torch="torch.optim.NAdam(net.parameters(), lr=1e-3)",
            keras="keras.optimizers.Nadam(learning_rate=1e-3, epsilon=1e-8)",
            flax="optax.nadam(1e-3)",
            gluon='"nadam", {"learning_rate": 1e-3}',
        ),
    ),
    deviation(
        "adam-radam",
        CLASSIFIER,
        "RAdam for Adam",
        says=("radam|rectif",),
        **instead(
            ADAM, torch="torch.optim.RAdam(net.parameters(), lr=1e-3)", flax="optax.radam(1e-3)"
        ),
    ),
    deviation(
        "adam-adamax",
        CLASSIFIER,
        "Adamax for Adam",
        says=("adamax|maximum|infinity|largest",),
        blind=True,
        **instead(
            ADAM,
            torch="torch.optim.Adamax(net.parameters(), lr=1e-3)",
            keras="keras.optimizers.Adamax(learning_rate=1e-3)",
            gluon='"adamax", {"learning_rate": 1e-3}',
        ),
    ),
    deviation(
        "adam-adagrad",
        CLASSIFIER,
        "Adagrad for Adam",
        says=("adagrad",),
        blind=True,
        **instead(
            ADAM,
            torch="torch.optim.Adagrad(net.parameters(), lr=1e-3)",
            flax="optax.adagrad(1e-3)",
            gluon='"adagrad", {"learning_rate": 1e-3}',
        ),
    ),
    deviation(
        "adam-adabelief",
        CLASSIFIER,
        "AdaBelief for Adam",
        says=("belief|centr|center|variance|deviation",),
        blind=True,
        **instead(ADAM, flax="optax.adabelief(1e-3)"),
    ),
    deviation(
        "adam-lion",
        CLASSIFIER,
        "Lion for Adam",
        says=("lion|sign",),
        blind=True,
        **instead(ADAM, keras="keras.optimizers.Lion(learning_rate=1e-3)", flax="optax.lion(1e-3)"),
    ),
    deviation(
        "adam-rmsprop",
        CLASSIFIER,
        "RMSprop for Adam",
        says=("rmsprop",),
        blind=True,
        **instead(
            ADAM,
            torch="torch.optim.RMSprop(net.parameters(), lr=1e-3)",
            keras="keras.optimizers.RMSprop(learning_rate=1e-3)",
            flax="optax.rmsprop(1e-3)",
            gluon='"rmsprop", {"learning_rate": 1e-3}',
        ),
    ),
    deviation(
        "adam-beta1",
        CLASSIFIER,
        "Adam's beta1 is 0.5, as for adversarial nets",
        says=(r"beta.?1|β₁|beta", r"0\.5"),
        **with_more(ADAM, torch="betas=(0.5, 0.999)", keras="beta_1=0.5", flax="b1=0.5")
        | {"gluon": swap(ADAM["gluon"], '"adam", {"learning_rate": 1e-3, "beta1": 0.5}')},
    ),
    deviation(
        "adam-beta2",
        CLASSIFIER,
        "Adam's beta2 is 0.99",
        says=(r"beta.?2|β₂|beta", r"0\.99\b"),
        **with_more(ADAM, torch="betas=(0.9, 0.99)", keras="beta_2=0.99", flax="b2=0.99")
        | {"gluon": swap(ADAM["gluon"], '"adam", {"learning_rate": 1e-3, "beta2": 0.99}')},
    ),
    deviation(
        "adam-betas-exchanged",
        CLASSIFIER,
        "Adam's beta1 and beta2 exchanged",
        says=(r"beta|β", r"0\.999|exchang|swapp"),
        blind=True,
        **with_more(
            ADAM,
            torch="betas=(0.999, 0.9)",
            keras="beta_1=0.999, beta_2=0.9",
            flax="b1=0.999, b2=0.9",
        ),
    ),
    deviation(
        "adam-epsilon",
        CLASSIFIER,
        "Adam's epsilon is 1e-3",
        says=("epsilon", r"1e-0?3|0\.001"),
        **with_more(ADAM, torch="eps=1e-3", flax="eps=1e-3")
        | {
            "keras": swap("epsilon=1e-8", "epsilon=1e-3"),
            "gluon": swap(ADAM["gluon"], '"adam", {"learning_rate": 1e-3, "epsilon": 1e-3}'),
        },
    ),
    deviation(
        "adam-epsilon-keras",
        CLASSIFIER,
        "Adam's epsilon is Keras's own 1e-7",
        says=("epsilon", "1e-0?7"),
        **with_more(ADAM, torch="eps=1e-7", flax="eps=1e-7")
        | {
            "keras": swap("epsilon=1e-8", "epsilon=1e-7"),
            "gluon": swap(ADAM["gluon"], '"adam", {"learning_rate": 1e-3, "epsilon": 1e-7}'),
        },
    ),
    deviation(
        "adam-epsilon-inside",
        CLASSIFIER,
        "Adam's epsilon stands inside the root",
        says=("epsilon", "inside|root|√|under|within"),
        torch=adam("p -= lr * m / (1 - 0.9**t) / (v / (1 - 0.999**t) + 1e-8).sqrt()"),
        **instead(ADAM, flax="optax.adam(1e-3, eps=0.0, eps_root=1e-8)"),
    ),
    deviation(
        "adam-uncorrected",
        CLASSIFIER,
        "Adam without its correction of the first steps",
        says=("bias|correct|uncorrect",),
        torch=adam("p -= lr * m / (v.sqrt() + 1e-8)"),
    ),
    deviation(
        "adam-half-corrected",
        CLASSIFIER,
        "Adam corrects its second moment only",
        says=("correct|bias|m̂|first moment",),
        blind=True,
        torch=adam("p -= lr * m / ((v / (1 - 0.999**t)).sqrt() + 1e-8)"),
    ),
    deviation(
        "adam-counts-from-two",
        CLASSIFIER,
        "Adam's correction counts its steps from 2",
        says=("count|correct|step|t \\+ 1|begin|from 2|late|off by one|early",),
        blind=True,
        torch=adam("t += 1; p -= lr * m / (1 - 0.9**t) / ((v / (1 - 0.999**t)).sqrt() + 1e-8)"),
    ),
    deviation(
        "momentum-dampened",
        RESIDUAL,
        "the velocity takes a tenth of each gradient: dampening, unit gain",
        says=("dampen|unit gain|0\\.1|1 ?[-−] ?momentum|scaled",),
        **with_more(MOMENTUM, torch="dampening=0.9")
        | instead(MOMENTUM, flax="optax.chain(optax.ema(0.9, debias=False), optax.sgd(0.05))"),
    ),
    deviation(
        "momentum-other",
        RESIDUAL,
        "a momentum of 0.95 for 0.9",
        says=("momentum", r"0\.95"),
        **instead(
            MOMENTUM,
            torch=MOMENTUM["torch"].replace("0.9", "0.95"),
            keras=MOMENTUM["keras"].replace("0.9", "0.95"),
            flax=MOMENTUM["flax"].replace("0.9", "0.95"),
            gluon=MOMENTUM["gluon"].replace("0.9", "0.95"),
        ),
    ),
    deviation(
        "momentum-missing",
        RESIDUAL,
        "no momentum",
        says=("momentum", r"without|no |missing|\b0\b|plain|sgd|instead of 0.9"),
        blind=True,
        **instead(
            MOMENTUM,
            torch=SGD["torch"],
            keras=SGD["keras"],
            flax=SGD["flax"],
            gluon=SGD["gluon"],
        ),
    ),
    deviation(
        "momentum-unasked",
        LENET,
        "a momentum of 0.9 that the recipe has not",
        says=("momentum", r"0\.9"),
        blind=True,
        **instead(
            SGD,
            torch=MOMENTUM["torch"],
            keras=MOMENTUM["keras"],
            flax=MOMENTUM["flax"],
            gluon=MOMENTUM["gluon"],
        ),
    ),
    deviation(
        "nesterov-unasked",
        RESIDUAL,
        "Nesterov's momentum for the plain one",
        says=("nesterov",),
        **with_more(MOMENTUM, torch="nesterov=True", keras="nesterov=True", flax="nesterov=True")
        | instead(MOMENTUM, gluon=MOMENTUM["gluon"].replace("sgd", "nag")),
    ),
    deviation(
        "nesterov-missing",
        NESTEROV,
        "plain momentum for Nesterov's",
        says=("nesterov|plain momentum",),
        **instead(
            NAG,
            torch=NAG["torch"].replace(", nesterov=True", ""),
            keras=NAG["keras"].replace(", nesterov=True", ""),
            flax=NAG["flax"].replace(", nesterov=True", ""),
            gluon=NAG["gluon"].replace("nag", "sgd"),
        ),
    ),
    deviation(
        "rmsprop-centred",
        DEPTHWISE,
        "RMSprop is centred",
        says=("centr|center|mean|variance",),
        **with_more(RMSPROP, torch="centered=True", flax="centered=True"),
    ),
    deviation(
        "rmsprop-rho",
        DEPTHWISE,
        "RMSprop's rho is PyTorch's own 0.99",
        says=("rho|average|decay|smoothing|alpha", r"0\.99"),
        blind=True,
        **instead(
            RMSPROP,
            torch=RMSPROP["torch"].replace("alpha=0.9, ", ""),
            keras="RMSprop(learning_rate=1e-3, rho=0.99)",
            flax=RMSPROP["flax"].replace("1e-3,", "1e-3, decay=0.99,"),
            gluon='"plainrmsprop", {"learning_rate": 1e-3, "rho": 0.99}',
        ),
    ),
    deviation(
        "rmsprop-epsilon-inside",
        DEPTHWISE,
        "RMSprop's epsilon stands inside the root, as in Keras and TensorFlow",
        says=("epsilon", "inside|root|√|under|within"),
        blind=True,
        **instead(
            RMSPROP,
            flax=RMSPROP["flax"].replace("eps_in_sqrt=False", "eps_in_sqrt=True"),
            keras="keras.optimizers.RMSprop(learning_rate=1e-3)",
        ),
    ),
    deviation(
        "rmsprop-momentum",
        DEPTHWISE,
        "RMSprop with a momentum of 0.9",
        says=("momentum", r"0\.9"),
        blind=True,
        **with_more(RMSPROP, torch="momentum=0.9", flax="momentum=0.9"),
    ),
    deviation(
        "rmsprop-begins-at-one",
        DECAYING,
        "RMSprop's average begins at 1, as in TensorFlow 1",
        says=(r"begin|start|initial", r"\b1\b|one"),
        blind=True,
        torch=swap(
            "    scheduler = torch",
            "    for p in net.parameters():\n"
            '        optimizer.state[p] = {"step": torch.zeros(()), "square_avg": torch.ones_like(p)}\n'
            "    scheduler = torch",
        ),
        flax=swap("eps_in_sqrt=False)", "eps_in_sqrt=False, initial_scale=1.0)"),
        keras=swap(
            "square = self._velocities[self._get_variable_index(variable)]",
            "square = self._velocities[self._get_variable_index(variable)]\n"
            "        first = tf.cast(self.iterations == 0, variable.dtype)\n"
            "        self.assign_add(square, first * tf.ones_like(square))",
        ),
        gluon=swap(
            "mx.nd.zeros_like(weight), mx.nd.zeros_like(weight)",
            "mx.nd.zeros_like(weight), mx.nd.ones_like(weight)",
        ),
    ),
    deviation(
        "layers-trusted",
        LENET,
        "each layer's rate follows the size of its weights: LARS",
        says=("lars|trust|norm|layer",),
        blind=True,
        **instead(
            SGD,
            flax="optax.lars(0.05, weight_decay=0.0, trust_coefficient=0.1, momentum=0.0)",
            gluon='"lars", {"learning_rate": 0.05, "eta": 0.1}',
        ),
    ),
)
