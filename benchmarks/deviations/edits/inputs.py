"""Samples and labels changed on their way into the net."""

from __future__ import annotations

from benchmarks.deviations.deviation import Deviation, Edit, deviation, swap
from benchmarks.deviations.nets import CLASSIFIER, LENET, LOPSIDED, RESIDUAL, SERIES, SMOOTH

FORWARD, CALL = "def forward(self, x):\n", "def __call__(self, x):\n"


def torch_input(line: str, forwards: int = 1) -> Edit:
    """`line` first in the last class's forward."""
    return swap(FORWARD, f"{FORWARD}        {line}\n", forwards, -1)


def flax_input(line: str, calls: int = 1) -> Edit:
    return swap(CALL, f"{CALL}        {line}\n", calls, -1)


def labels(new: str) -> Edit:
    return swap("loss_fn(net(x), y)", f"loss_fn(net(x), {new})")


DEVIATIONS: tuple[Deviation, ...] = (
    deviation(
        "inputs-divided",
        LENET,
        "the samples are divided by 255 once more",
        where="input|sample|conv1|first",
        says=("255|0?.0039",),
        torch=torch_input("x = x / 255"),
        keras=swap(
            "keras.Input((8, 8, 3)),",
            "keras.Input((8, 8, 3)),\n            layers.Rescaling(1 / 255),",
        ),
        flax=flax_input("x = x / 255"),
        gluon=swap("    net.add(", "    net.add(\n        nn.Lambda(lambda v: v / 255),"),
    ),
    deviation(
        "inputs-shifted",
        LENET,
        "0.5 is taken from the samples",
        where="input|sample|conv1|first",
        says=(r"0\.5|shift|mean|offset|subtract",),
        torch=torch_input("x = x - 0.5"),
        keras=swap(
            "keras.Input((8, 8, 3)),",
            "keras.Input((8, 8, 3)),\n            layers.Rescaling(1, offset=-0.5),",
        ),
        flax=flax_input("x = x - 0.5"),
        gluon=swap("    net.add(", "    net.add(\n        nn.Lambda(lambda v: v - 0.5),"),
    ),
    deviation(
        "inputs-centred",
        RESIDUAL,
        "each image's own mean is taken from it",
        where="input|sample|conv1|first",
        says=("mean|centr|center|shift|subtract",),
        torch=torch_input("x = x - x.mean((1, 2, 3), keepdim=True)", 2),
        flax=flax_input("x = x - x.mean((1, 2, 3), keepdims=True)", 2),
    ),
    deviation(
        "inputs-standardised",
        CLASSIFIER,
        "each batch of samples is divided by its own deviation",
        where="input|sample|fc1|first",
        says=("scal|deviation|standard|norm|divid|factor",),
        blind=True,
        torch=torch_input("x = x / x.std(0)"),
        flax=flax_input("x = x / x.std(0)"),
    ),
    deviation(
        "inputs-per-pixel-mean",
        LENET,
        "the mean over the batch is taken from every pixel",
        where="input|sample|conv1|first",
        says=("mean|centr|center|shift|subtract",),
        blind=True,
        torch=torch_input("x = x - x.mean(0)"),
        flax=flax_input("x = x - x.mean(0)"),
    ),
    deviation(
        "channels-bgr",
        LENET,
        "blue, green, red for red, green, blue",
        where="input|sample|conv1|channel",
        says=("channel|bgr|colou?r", "order|revers|bgr|flip|swapp|permut"),
        torch=torch_input("x = x.flip(1)"),
        keras=swap(
            "keras.Input((8, 8, 3)),",
            "keras.Input((8, 8, 3)),\n            layers.Lambda(lambda v: v[..., ::-1]),",
        ),
        flax=flax_input("x = x[..., ::-1]"),
        gluon=swap("    net.add(", "    net.add(\n        nn.Lambda(lambda v: v.flip(1)),"),
    ),
    deviation(
        "axes-exchanged",
        LENET,
        "height and width of the samples exchanged",
        where="input|sample|conv1|axes|height",
        says=("transpos|height|axes|exchang|swapp",),
        torch=torch_input("x = x.transpose(2, 3)"),
        keras=swap(
            "keras.Input((8, 8, 3)),",
            "keras.Input((8, 8, 3)),\n            layers.Permute((2, 1, 3)),",
        ),
        flax=flax_input("x = x.transpose(0, 2, 1, 3)"),
        gluon=swap("    net.add(", "    net.add(\n        nn.Lambda(lambda v: v.swapaxes(2, 3)),"),
    ),
    deviation(
        "images-mirrored",
        LENET,
        "the images are mirrored left to right, an augmentation left on",
        where="input|sample|conv1|first",
        says=("mirror|flip|revers|left",),
        blind=True,
        torch=torch_input("x = x.flip(3)"),
        keras=swap(
            "keras.Input((8, 8, 3)),",
            "keras.Input((8, 8, 3)),\n            layers.Lambda(lambda v: v[:, :, ::-1]),",
        ),
        flax=flax_input("x = x[:, :, ::-1]"),
    ),
    deviation(
        "images-moved",
        LOPSIDED,
        "the images are moved one pixel to the right, around the edge",
        where="input|sample|conv1|first",
        says=("shift|moved|roll|pixel|translat",),
        blind=True,
        torch=torch_input("x = x.roll(1, 3)"),
        flax=flax_input("x = jnp.roll(x, 1, 2)")
        + swap("import numpy as np", "import jax.numpy as jnp\nimport numpy as np"),
    ),
    deviation(
        "images-reshaped",
        LENET,
        "channels last is read as channels first by a reshape, not a transpose",
        where="input|sample|conv1|first",
        says=("reshape|layout|order|permut|channel|transpos",),
        blind=True,
        torch=torch_input("x = x.permute(0, 2, 3, 1).reshape(x.shape)"),
        flax=flax_input("x = x.transpose(0, 3, 1, 2).reshape(x.shape)"),
    ),
    deviation(
        "inputs-clipped",
        CLASSIFIER,
        "the samples are clipped to between 0 and 1",
        where="input|sample|fc1|first",
        says=("clip|limit|negative|between|cap",),
        blind=True,
        torch=torch_input("x = x.clamp(0, 1)"),
        flax=flax_input("x = x.clip(0, 1)"),
        keras=swap(
            "keras.Input((12,)),",
            "keras.Input((12,)),\n            layers.Lambda(lambda v: keras.ops.clip(v, 0, 1)),",
        ),
    ),
    deviation(
        "time-reversed",
        SERIES,
        "the series is read backwards",
        where="input|sample|rnn1|time|step",
        says=("revers|backward|order|flip",),
        torch=torch_input("x = x.flip(1)"),
        flax=flax_input("x = x[:, ::-1]"),
        gluon=torch_input("x = x.flip(1)"),
    ),
    deviation(
        "labels-shifted",
        LENET,
        "each label is taken for the next class",
        where="label|target",
        says=("label|target", "shift|next|one|1|permut|add"),
        torch=labels("(y + 1) % 4"),
        flax=swap("labels(net(x), y)", "labels(net(x), (y + 1) % 4)"),
        keras=swap(
            "    samples = tf.data",
            "    y = (y + 1) % 4\n    samples = tf.data",
        ),
        gluon=labels("(y + 1) % 4"),
    ),
    deviation(
        "labels-of-the-neighbour",
        LENET,
        "each sample is trained with the label of the one before it in the batch",
        where="label|target|sample|order|batch",
        says=(
            "label|target|sample",
            "shift|order|roll|neighbour|another|other|pair|before|next|permut",
        ),
        blind=True,
        torch=labels("y.roll(1)"),
        flax=swap("labels(net(x), y)", "labels(net(x), y[::-1])"),
    ),
    deviation(
        "targets-scaled",
        SMOOTH,
        "the targets are divided by their deviation in the batch",
        where="label|target|loss",
        says=("target|label", "scal|divid|norm|deviation|factor"),
        blind=True,
        torch=labels("y / y.std()"),
        flax=swap("squared_error(net(x), y)", "squared_error(net(x), y / y.std())"),
    ),
)
