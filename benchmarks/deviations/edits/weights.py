"""Weights that rest, lose their gradient, or are another layer's."""

from __future__ import annotations

from benchmarks.deviations.deviation import Deviation, Edit, before, deviation, swap, torch_module
from benchmarks.deviations.nets import CLASSIFIER, LENET, RESIDUAL

RESTS = "froz|freez|not trained|never|stay|no gradient|unchanged|not move|rest|constant|not updated|untrained"
LEARN = "def learner(net):\n"


def frozen(*arrays: str) -> Edit:
    lines = "".join(f"    net.{array}.requires_grad_(False)\n" for array in arrays)
    return swap(LEARN, LEARN + lines)


def rested(which: str) -> Edit:
    """In Gluon: some of all parameters get no gradient, by their place: names count on."""
    line = (
        f'    for p in list(net.collect_params().values())[{which}]:\n        p.grad_req = "null"\n'
    )
    return before("    net.initialize(mx.init.Xavier())", line)


def reset(pattern: str) -> Edit:
    """In Gluon: parameters whose names match get no gradient."""
    line = f'    net.collect_params("{pattern}").setattr("grad_req", "null")\n'
    return before("    net.initialize(mx.init.Xavier())", line)


STOPPED = swap("import optax", "import jax\nimport optax")


def second(product: str) -> Edit:
    """In PyTorch, the classifier's second dense layer computed otherwise."""
    module = f"class Other(nn.Linear):\n    def forward(self, x):\n        return {product}\n\n\n"
    return torch_module(module) + swap("nn.Linear(16, 12)", "Other(16, 12)")


DEVIATIONS: tuple[Deviation, ...] = (
    deviation(
        "layer-frozen",
        LENET,
        "the second convolution is not trained",
        where="conv2",
        says=(RESTS,),
        torch=frozen("conv2"),
        keras=swap("layers.Conv2D(6, 3, ", "layers.Conv2D(6, 3, trainable=False, "),
        gluon=rested("2:4"),
    ),
    deviation(
        "bias-frozen",
        CLASSIFIER,
        "the second dense layer's bias is not trained",
        where="fc2.*bias|bias.*fc2",
        says=(RESTS,),
        torch=frozen("fc2.bias"),
        gluon=rested("3:4"),
        flax=swap(
            "self.fc3 =", "self.fc2.bias = nnx.BatchStat(self.fc2.bias[...])\n        self.fc3 ="
        ),
    ),
    deviation(
        "biases-frozen",
        LENET,
        "no bias is trained",
        where="bias",
        says=(RESTS,),
        blind=True,
        torch=frozen("conv1.bias", "conv2.bias", "fc1.bias", "fc2.bias"),
        gluon=reset(".*bias"),
    ),
    deviation(
        "all-but-the-head-frozen",
        LENET,
        "only the last layer is trained: transfer learning left on",
        where="conv1|conv2|fc1|fc2",
        says=(RESTS + "|only",),
        blind=True,
        torch=frozen("conv1", "conv2", "fc1"),
        gluon=rested(":6"),
    ),
    deviation(
        "channel-frozen",
        LENET,
        "the first convolution's first kernel is not trained",
        where="conv1",
        says=(RESTS, "row|channel|kernel|part|some|one|first|0"),
        torch=swap(
            LEARN,
            f"{LEARN}    rest = torch.ones(5, 1, 1, 1)\n    rest[0] = 0\n"
            "    net.conv1.weight.register_hook(lambda g: g * rest)\n",
        ),
    ),
    deviation(
        "gradient-detached",
        LENET,
        "the second convolution passes no gradient on, so that the first one rests",
        where="conv1",
        says=(RESTS + "|detach",),
        torch=swap("self.conv2(x)", "self.conv2(x.detach())"),
        flax=swap("self.conv2(x)", "self.conv2(jax.lax.stop_gradient(x))") + STOPPED,
        keras=swap(
            "layers.MaxPooling2D(2),",
            "layers.MaxPooling2D(2), layers.Lambda(keras.ops.stop_gradient),",
        ),
        gluon=swap(
            "nn.MaxPool2D(pool_size=2),",
            "nn.MaxPool2D(pool_size=2), nn.Lambda(lambda v: v.detach()),",
        ),
    ),
    deviation(
        "skip-detached",
        RESIDUAL,
        "no gradient goes through the residual blocks' skip",
        where="add|residual|skip|path",
        says=("detach|gradient|skip|backward",),
        blind=True,
        torch=swap("return F.relu(y + x)", "return F.relu(y + x.detach())"),
        flax=swap("return nnx.relu(y + x)", "return nnx.relu(y + jax.lax.stop_gradient(x))")
        + STOPPED,
        keras=swap("layers.add([y, x])", "layers.add([y, keras.ops.stop_gradient(x)])"),
        gluon=swap("(y + x, act_type", "(y + x.detach(), act_type"),
    ),
    deviation(
        "block-used-twice",
        RESIDUAL,
        "the second residual block is the first one again",
        where="residual",
        says=(
            "shar|same weights|again|twice|residual1|first block|weights of|tied|not used|unused",
        ),
        torch=swap("self.residual2(x)", "self.residual1(x)"),
        flax=swap("self.residual2(x)", "self.residual1(x)"),
    ),
    deviation(
        "convolution-used-twice",
        RESIDUAL,
        "each residual block's second convolution is its first one again",
        where="conv2|residual",
        says=("shar|same weights|again|twice|conv1|weights of|tied|not used|unused",),
        blind=True,
        torch=swap("self.conv2(y)", "self.conv1(y)")
        + swap("self.conv2(x)", "self.conv1(x)", 0),  # so a prefix of the block says it
        flax=swap("self.conv2(y)", "self.conv1(y)"),
        gluon=swap("self.conv2(y)", "self.conv1(y)"),
    ),
    deviation(
        "bias-missing",
        CLASSIFIER,
        "the second dense layer does not add its bias",
        where="fc2",
        says=("bias",),
        blind=True,
        torch=second("nn.functional.linear(x, self.weight)"),
        flax=swap("self.fc2(x)", "(x @ self.fc2.kernel)"),
    ),
    deviation(
        "weight-normalised",
        CLASSIFIER,
        "each row of the second dense layer is divided by its length",
        where="fc2",
        says=("norm|length|scal|divid",),
        blind=True,
        torch=second("nn.functional.linear(x, nn.functional.normalize(self.weight), self.bias)"),
    ),
    deviation(
        "weight-scaled",
        CLASSIFIER,
        "the second dense layer's product is divided by √16: equalised learning rate",
        where="fc2",
        says=("0?\\.25|1/4|scal|factor|divid|√|quarter",),
        blind=True,
        torch=second("nn.functional.linear(x, self.weight / 4, self.bias)"),
        flax=swap("self.fc2(x)", "(x @ self.fc2.kernel / 4 + self.fc2.bias)"),
    ),
)
