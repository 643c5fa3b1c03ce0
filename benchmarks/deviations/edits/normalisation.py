"""Batch norm with other numbers, another variance, or statistics used at the wrong time."""

from __future__ import annotations

from benchmarks.deviations.deviation import Deviation, Edit, deviation, swap, torch_module
from benchmarks.deviations.nets import DENSE, DEPTHWISE, ODD, RESIDUAL

FLAX_BN = "nnx.BatchNorm(6, momentum=0.9"

HAND = """class HandMadeNorm(nn.BatchNorm2d):
    def forward(self, x):
        mean, var = self.running_mean, self.running_var
        if self.training:
            mean, var = x.mean((0, 2, 3)), x.var((0, 2, 3), correction=0)
            n = x.numel() / x.shape[1]
            with torch.no_grad():
                self.running_mean.lerp_(mean, self.momentum)
                self.running_var.lerp_(var * n / (n - 1), self.momentum)
        mean, var = mean[:, None, None], var[:, None, None]
        weight, bias = self.weight[:, None, None], self.bias[:, None, None]
        return (x - mean) / torch.sqrt(var + self.eps) * weight + bias


"""
FORMULA = "(x - mean) / torch.sqrt(var + self.eps) * weight + bias"


def by_hand(old: str, new: str) -> Edit:
    """All batch norms of the odd-sized net in PyTorch by hand, with something changed in them."""
    assert HAND.count(old) == 1, old
    hand = torch_module(HAND.replace(old, new))
    return hand + swap("nn.BatchNorm2d(5)", "HandMadeNorm(5)")


DEVIATIONS: tuple[Deviation, ...] = (
    deviation(
        "bn-epsilon",
        RESIDUAL,
        "one batch norm's epsilon is Keras's own 1e-3",
        where="bn1|batch",
        says=("epsilon", r"1e-0?3|0\.001"),
        torch=swap("nn.BatchNorm2d(6)", "nn.BatchNorm2d(6, eps=1e-3)"),
        keras=swap("epsilon=1e-5)(x)", "epsilon=1e-3)(x)"),
        flax=swap(FLAX_BN, FLAX_BN + ", epsilon=1e-3"),
        gluon=swap("        nn.BatchNorm(),", "        nn.BatchNorm(epsilon=1e-3),"),
    ),
    deviation(
        "bn-momentum-meaning",
        RESIDUAL,
        "one batch norm's momentum is 0.9 where it means the new value's share",
        where="bn1|batch|running",
        says=("momentum|running", r"0\.1"),
        torch=swap("nn.BatchNorm2d(6)", "nn.BatchNorm2d(6, momentum=0.9)"),
        keras=swap("(momentum=0.9, epsilon=1e-5)(x)", "(momentum=0.1, epsilon=1e-5)(x)"),
        flax=swap(FLAX_BN, "nnx.BatchNorm(6, momentum=0.1"),
        gluon=swap("        nn.BatchNorm(),", "        nn.BatchNorm(momentum=0.1),"),
    ),
    deviation(
        "bn-momentum-default",
        DEPTHWISE,
        "every batch norm's momentum is 0.99, Keras's and Flax's own",
        where="bn|batch|running",
        says=("momentum|running", r"0\.99"),
        torch=swap("nn.BatchNorm2d(4)", "nn.BatchNorm2d(4, momentum=0.01)")
        + swap("BatchNorm2d(channels)", "BatchNorm2d(channels, momentum=0.01)")
        + swap("BatchNorm2d(width)", "BatchNorm2d(width, momentum=0.01)"),
        keras=swap("momentum=0.9, ", "", times=3),
        flax=swap("momentum=0.9, ", "", times=3),
        gluon=swap("nn.BatchNorm()", "nn.BatchNorm(momentum=0.99)", times=3),
    ),
    deviation(
        "bn-unbiased",
        ODD,
        "the batch is normalised with its unbiased variance",
        where="bn1|batch",
        says=("unbias|bessel|n ?[-−] ?1|correction",),
        torch=by_hand("x.var((0, 2, 3), correction=0)", "x.var((0, 2, 3))")
        + swap("var * n / (n - 1)", "var"),
    ),
    deviation(
        "bn-predicts-in-training-mode",
        RESIDUAL,
        "prediction leaves the net in training mode",
        where="",
        says=("train|batch's|statistics", "predict|statistic|mode"),
        torch=swap("    net.eval()\n", ""),
        flax=swap("    net.eval()\n", "    net.train()\n"),
        keras=swap(
            "return net.predict(x, batch_size=len(x), verbose=0)",
            "return net(x, training=True).numpy()",
        ),
        gluon=swap(
            "    return net(mx.nd.array(x))",
            "    with autograd.train_mode():\n        return net(mx.nd.array(x))",
        ),
    ),
    deviation(
        "bn-trains-in-prediction-mode",
        RESIDUAL,
        "training leaves the net in prediction mode: running statistics normalise, and rest",
        where="",
        says=("running|statistic|mode", "train|running|predict"),
        torch=swap("    net.train()\n", "    net.eval()\n"),
        flax=swap("    net.train()\n", "    net.eval()\n"),
        gluon=swap("autograd.record()", "autograd.record(train_mode=False)"),
    ),
    deviation(
        "bn-statistics-frozen",
        RESIDUAL,
        "one batch norm's running statistics never move",
        where="bn1|running|statistic",
        says=("froz|never|not move|stay|constant|unchanged|not updated|momentum 1|momentum is 1",),
        torch=swap("nn.BatchNorm2d(6)", "nn.BatchNorm2d(6, momentum=0.0)"),
        keras=swap("(momentum=0.9, epsilon=1e-5)(x)", "(momentum=1.0, epsilon=1e-5)(x)"),
        flax=swap(FLAX_BN, "nnx.BatchNorm(6, momentum=1.0"),
        gluon=swap("        nn.BatchNorm(),", "        nn.BatchNorm(momentum=1.0),"),
    ),
    deviation(
        "bn-layer-frozen",
        RESIDUAL,
        "the first batch norm normalises with its running statistics while it trains",
        where="bn1",
        says=("running|statistic",),
        torch=torch_module(
            "class Fixed(nn.BatchNorm2d):\n    def train(self, mode=True):\n"
            "        return super().train(False)"
        )
        + swap("nn.BatchNorm2d(6)", "Fixed(6)"),
        flax=swap(
            "self.bn1(self.conv1(x))", "self.bn1(self.conv1(x), use_running_average=True)", 2, 1
        ),
        gluon=swap("        nn.BatchNorm(),", "        nn.BatchNorm(use_global_stats=True),"),
    ),
    deviation(
        "bn-gamma-plus-one",
        ODD,
        "the batch norm multiplies by 1 + gamma",
        where="bn1|batch|gamma",
        says=(r"1 ?\+|gamma.*1|plus (1|one)|offset",),
        blind=True,
        torch=by_hand("* weight + bias", "* (1 + weight) + bias"),
    ),
    deviation(
        "bn-epsilon-outside",
        ODD,
        "the batch norm's epsilon, of 1e-3, stands outside the root",
        where="bn1|batch",
        says=("epsilon", "outside|root|1e-0?3|0.001|√|deviation"),
        blind=True,
        torch=by_hand("torch.sqrt(var + self.eps)", "(torch.sqrt(var) + 1e-3)"),
    ),
    deviation(
        "bn-statistics-detached",
        ODD,
        "no gradient goes through the batch's mean and variance",
        where="bn1|batch|conv1",
        says=("detach|constant|gradient|backward",),
        blind=True,
        torch=by_hand(
            "mean, var = mean[:, None, None], var[:, None, None]",
            "mean, var = mean[:, None, None].detach(), var[:, None, None].detach()",
        ),
    ),
    deviation(
        "bn-per-sample",
        ODD,
        "each sample is normalised by itself, as an instance norm does",
        where="bn1|batch",
        says=("instance|sample|each image|itself",),
        blind=True,
        torch=by_hand(
            FORMULA, "nn.functional.instance_norm(x, weight=self.weight, bias=self.bias)"
        ),
    ),
    deviation(
        "bn-gamma-fixed",
        ODD,
        "the batch norm's gamma is not trained (MXNet's fix_gamma)",
        where="gamma|bn1",
        says=("gamma|scale|weight", "froz|not trained|stay|never|unchanged|not move|constant|fix"),
        blind=True,
        torch=swap(
            "nn.BatchNorm2d(5)", "nn.BatchNorm2d(5)\n        self.bn1.weight.requires_grad_(False)"
        ),
        flax=swap(
            "nnx.BatchNorm(5, momentum=0.9, rngs=rngs)",
            "nnx.BatchNorm(5, momentum=0.9, rngs=rngs)\n"
            "        self.bn1.scale = nnx.BatchStat(self.bn1.scale[...])",
        ),
        gluon=swap(
            "    net.initialize(mx.init.Xavier())",
            '    net.collect_params(".*gamma").setattr("grad_req", "null")\n'
            "    net.initialize(mx.init.Xavier())",
        ),
    ),
    deviation(
        "bn-missing",
        DENSE,
        "the growing blocks leave their batch norm out",
        where="bn1|grown",
        says=("missing|without|left out|no batch|not applied|skipped|identity|absent",),
        blind=True,
        torch=swap("self.bn1(x)", "x"),
        flax=swap("self.bn1(x)", "x"),
    ),
    deviation(
        "bn-variance-as-deviation",
        ODD,
        "the running deviation is kept where the variance should be",
        where="bn1|batch|running",
        says=("deviation|root|√|sqrt|std",),
        blind=True,
        torch=by_hand("var * n / (n - 1)", "(var * n / (n - 1)).sqrt()"),
    ),
)
