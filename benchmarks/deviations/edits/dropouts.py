"""Dropout that drops another share, scales otherwise, or works at the wrong time or place."""

from __future__ import annotations

from benchmarks.deviations.deviation import Deviation, Edit, deviation, swap, torch_module
from benchmarks.deviations.nets import CLASSIFIER

LAYER = "self.drop1 = nn.Dropout(0.2)"


def layer(forward: str) -> Edit:
    """The classifier's dropout in PyTorch by hand; 0.8 is the share kept."""
    module = (
        f"class HandMadeDropout(nn.Module):\n    def forward(self, x):\n        {forward}\n\n\n"
    )
    return torch_module(module) + swap("nn.Dropout(0.2)", "HandMadeDropout()")


def training(mask: str, otherwise: str = "x") -> Edit:
    return layer(f"return {mask} if self.training else {otherwise}")


MASK = "torch.bernoulli(torch.full_like(x, 0.8))"

DEVIATIONS: tuple[Deviation, ...] = (
    deviation(
        "dropout-keep-probability",
        CLASSIFIER,
        "the dropout's rate is taken for the share that is kept",
        where="drop",
        says=("drop|rate|kept|keep", r"0?\.8|80"),
        torch=swap("nn.Dropout(0.2)", "nn.Dropout(0.8)"),
        keras=swap("layers.Dropout(0.2)", "layers.Dropout(0.8)"),
        flax=swap("nnx.Dropout(0.2,", "nnx.Dropout(0.8,"),
        gluon=swap("nn.Dropout(0.2)", "nn.Dropout(0.8)"),
    ),
    deviation(
        "dropout-rate",
        CLASSIFIER,
        "the dropout's rate is 0.25 for 0.2",
        where="drop",
        says=("drop|rate|kept|keep", r"0?\.25|25"),
        torch=swap("nn.Dropout(0.2)", "nn.Dropout(0.25)"),
        keras=swap("layers.Dropout(0.2)", "layers.Dropout(0.25)"),
        flax=swap("nnx.Dropout(0.2,", "nnx.Dropout(0.25,"),
        gluon=swap("nn.Dropout(0.2)", "nn.Dropout(0.25)"),
    ),
    deviation(
        "dropout-in-prediction",
        CLASSIFIER,
        "dropout works in prediction too",
        where="drop|predict",
        says=("predict|evaluat|inference", "drop|random|differ"),
        torch=layer("return nn.functional.dropout(x, 0.2)"),
        keras=swap(
            "return net.predict(x, batch_size=len(x), verbose=0)",
            "return net(x, training=True).numpy()",
        ),
        flax=swap("    net.eval()\n", "    net.train()\n"),
        gluon=swap(
            "nn.Dropout(0.2)", 'nn.Lambda(lambda v: mx.nd.Dropout(v, p=0.2, mode="always"))'
        ),
    ),
    deviation(
        "dropout-missing",
        CLASSIFIER,
        "no dropout",
        where="drop",
        says=(
            "no drop|never|missing|without|nothing|not drop|rate 0|no value|0 %|0%|left out|drops no",
        ),
        torch=swap("nn.Dropout(0.2)", "nn.Identity()"),
        keras=swap("layers.Dropout(0.2)", "layers.Identity()"),
        flax=swap("nnx.Dropout(0.2,", "nnx.Dropout(0.0,"),
        gluon=swap("nn.Dropout(0.2)", "nn.Dropout(0.0)"),
    ),
    deviation(
        "dropout-not-scaled",
        CLASSIFIER,
        "what dropout keeps is not divided by 0.8",
        where="drop",
        says=("scal|divid|0?\\.8|1\\.25",),
        torch=training(f"x * {MASK}"),
        keras=swap(
            "layers.Dropout(0.2),", "layers.Dropout(0.2), layers.Lambda(lambda v: v * 0.8),"
        ),
        gluon=swap("nn.Dropout(0.2),", "nn.Dropout(0.2), nn.Lambda(lambda v: v * 0.8),"),
    ),
    deviation(
        "dropout-scaled-in-prediction",
        CLASSIFIER,
        "dropout scales in prediction, as it did first, not in training",
        where="drop",
        says=("scal|divid|multipl|0?\\.8",),
        blind=True,
        torch=training(f"x * {MASK}", "x * 0.8"),
    ),
    deviation(
        "dropout-of-whole-samples",
        CLASSIFIER,
        "dropout takes whole samples away",
        where="drop",
        says=("sample|whole|together|all|row",),
        blind=True,
        torch=training("x * torch.bernoulli(torch.full((len(x), 1), 0.8)) / 0.8"),
        keras=swap("layers.Dropout(0.2)", "layers.Dropout(0.2, noise_shape=(None, 1))"),
        flax=swap("nnx.Dropout(0.2,", "nnx.Dropout(0.2, broadcast_dims=(1,),"),
        gluon=swap("nn.Dropout(0.2)", "nn.Dropout(0.2, axes=(1,))"),
    ),
    deviation(
        "dropout-of-the-same-features",
        CLASSIFIER,
        "dropout takes the same features of all samples",
        where="drop",
        says=("same|feature|whole|together|all|unit|sample|column",),
        blind=True,
        torch=training("x * torch.bernoulli(torch.full_like(x[:1], 0.8)) / 0.8"),
        keras=swap("layers.Dropout(0.2)", "layers.Dropout(0.2, noise_shape=(1, None))"),
        flax=swap("nnx.Dropout(0.2,", "nnx.Dropout(0.2, broadcast_dims=(0,),"),
        gluon=swap("nn.Dropout(0.2)", "nn.Dropout(0.2, axes=(0,))"),
    ),
    deviation(
        "dropout-gaussian",
        CLASSIFIER,
        "noise of the same variance instead of zeros",
        where="drop",
        says=("gauss|noise|normal|no zero|never zero|none|not zero|continu",),
        blind=True,
        torch=training("x * (1 + 0.5 * torch.randn_like(x))"),
        keras=swap("layers.Dropout(0.2)", "layers.GaussianDropout(0.2)"),
    ),
    deviation(
        "dropout-alpha",
        CLASSIFIER,
        "alpha dropout, which is SELU's",
        where="drop",
        says=("alpha|selu|not zero|no zero|other value|-1|−1|shift|negative|saturat",),
        blind=True,
        torch=swap("nn.Dropout(0.2)", "nn.AlphaDropout(0.2)"),
        keras=swap("layers.Dropout(0.2)", "layers.AlphaDropout(0.2)"),
    ),
    deviation(
        "dropout-later",
        CLASSIFIER,
        "dropout after the second layer instead of the first",
        where="drop|fc2|relu2",
        says=("place|after|later|fc2|relu2|elsewhere|other layer|where|position",),
        blind=True,
        torch=swap("self.drop1(F.relu(self.fc1(x)))", "F.relu(self.fc1(x))")
        + swap("x = F.relu(self.fc2(x))", "x = self.drop1(F.relu(self.fc2(x)))"),
        flax=swap("self.drop1(nnx.relu(self.fc1(x)))", "nnx.relu(self.fc1(x))")
        + swap("x = nnx.relu(self.fc2(x))", "x = self.drop1(nnx.relu(self.fc2(x)))"),
    ),
    deviation(
        "dropout-same-mask",
        CLASSIFIER,
        "dropout takes the same values away at every step",
        where="drop",
        says=("same|every step|again|repeat|random|seed|fixed|constant",),
        blind=True,
        torch=training(
            "x * torch.bernoulli(torch.full_like(x, 0.8), generator=torch.Generator().manual_seed(0)) / 0.8"
        ),
    ),
)
