"""Convolutions and pools with another padding, stride, kernel or mean."""

from __future__ import annotations

from benchmarks.deviations.deviation import Deviation, deviation, swap
from benchmarks.deviations.nets import DENSE, DEPTHWISE, LENET, LOPSIDED, ODD, RESIDUAL

PADDED = "nn.Conv2d(3, 5, kernel_size=3, padding=1)"

DEVIATIONS: tuple[Deviation, ...] = (
    deviation(
        "padding-reflected",
        LENET,
        "the first convolution pads with its reflected input",
        where="conv1",
        says=("reflect|mirror",),
        torch=swap(PADDED, PADDED[:-1] + ', padding_mode="reflect")'),
        keras=swap(
            'layers.Conv2D(5, 3, padding="same", activation="relu")',
            'layers.Lambda(lambda v: keras.ops.pad(v, ((0, 0), (1, 1), (1, 1), (0, 0)), "reflect"))'
            ', layers.Conv2D(5, 3, activation="relu")',
        ),
        flax=swap("nnx.Conv(3, 5, (3, 3), ", 'nnx.Conv(3, 5, (3, 3), padding="REFLECT", '),
        gluon=swap(
            "nn.Conv2D(5, kernel_size=3, padding=1, ",
            'nn.Lambda(lambda v: mx.nd.pad(v, "reflect", (0, 0, 0, 0, 1, 1, 1, 1))), '
            "nn.Conv2D(5, kernel_size=3, ",
        ),
    ),
    deviation(
        "padding-circular",
        LENET,
        "the first convolution pads with the other side",
        where="conv1",
        says=("circular|wrap|periodic|other side",),
        blind=True,
        torch=swap(PADDED, PADDED[:-1] + ', padding_mode="circular")'),
        flax=swap("nnx.Conv(3, 5, (3, 3), ", 'nnx.Conv(3, 5, (3, 3), padding="CIRCULAR", '),
    ),
    deviation(
        "padding-repeated",
        LENET,
        "the first convolution pads with its border's values",
        where="conv1",
        says=("replicat|edge|repeat|border|nearest",),
        blind=True,
        torch=swap(PADDED, PADDED[:-1] + ', padding_mode="replicate")'),
    ),
    deviation(
        "padding-upper",
        DEPTHWISE,
        "the first convolution pads the top and left, not the bottom and right",
        where="conv1",
        says=("pad",),
        torch=swap("(0, 1, 0, 1)", "(1, 0, 1, 0)"),
        keras=swap("((0, 1), (0, 1))", "((1, 0), (1, 0))"),
        flax=swap("((0, 1), (0, 1))", "((1, 0), (1, 0))"),
        gluon=swap("(0, 0, 0, 0, 0, 1, 0, 1)", "(0, 0, 0, 0, 1, 0, 1, 0)"),
    ),
    deviation(
        "padding-transposed",
        LOPSIDED,
        "the first convolution pads height as width and width as height",
        where="conv1",
        says=("pad",),
        torch=swap("(1, 2, 0, 1)", "(0, 1, 1, 2)"),
        keras=swap("((0, 1), (1, 2))", "((1, 2), (0, 1))"),
        flax=swap("((0, 1), (1, 2))", "((1, 2), (0, 1))"),
        gluon=swap("(0, 0, 0, 0, 0, 1, 1, 2)", "(0, 0, 0, 0, 1, 2, 0, 1)"),
    ),
    deviation(
        "padding-of-ones",
        LENET,
        "the first convolution pads with ones",
        where="conv1",
        says=("pad", r"\b1\b|\bones?\b"),
        blind=True,
        torch=swap(PADDED, PADDED.replace(", padding=1", ""))
        + swap("self.conv1(x)", "self.conv1(nn.functional.pad(x, (1, 1, 1, 1), value=1.0))"),
    ),
    deviation(
        "dilation",
        LENET,
        "the first convolution is dilated by 2",
        where="conv1",
        says=("dilat", "2|twice"),
        torch=swap(PADDED, PADDED.replace("padding=1", "padding=2, dilation=2")),
        keras=swap('Conv2D(5, 3, padding="same"', 'Conv2D(5, 3, padding="same", dilation_rate=2'),
        flax=swap("nnx.Conv(3, 5, (3, 3), ", "nnx.Conv(3, 5, (3, 3), kernel_dilation=2, "),
        gluon=swap(
            "Conv2D(5, kernel_size=3, padding=1", "Conv2D(5, kernel_size=3, padding=2, dilation=2"
        ),
    ),
    deviation(
        "kernel-flipped",
        LENET,
        "the second layer convolves with its kernel turned around, not cross-correlates",
        where="conv2",
        says=("flip|turned|rotat|mirror|180|convol.*not|true convolution|reversed",),
        blind=True,
        torch=swap("self.conv2(x)", "F.conv2d(x, self.conv2.weight.flip(2, 3), self.conv2.bias)"),
    ),
    deviation(
        "kernel-transposed",
        LENET,
        "the second convolution's kernel has height and width exchanged",
        where="conv2",
        says=("transpos|height.*width|axes|exchang|swapp",),
        blind=True,
        torch=swap(
            "self.conv2(x)", "F.conv2d(x, self.conv2.weight.transpose(2, 3), self.conv2.bias)"
        ),
    ),
    deviation(
        "stride-offset",
        DEPTHWISE,
        "the stride of 2 begins at the second place: a convolution of stride 1, every second kept",
        where="conv1",
        says=("stride|offset|shift|begins|place|moved|pad",),
        torch=swap("kernel_size=3, stride=2)", "kernel_size=3)")
        + swap("self.conv1(F.pad(x, (0, 1, 0, 1)))", "self.conv1(x)[:, :, 1::2, 1::2]"),
    ),
    deviation(
        "stride-by-pool",
        DEPTHWISE,
        "the stride of 2 is made by an average over two places",
        where="conv1",
        says=("stride|averag|mean|pool",),
        blind=True,
        torch=swap("kernel_size=3, stride=2)", "kernel_size=3)")
        + swap("self.conv1(F.pad(x, (0, 1, 0, 1)))", "F.avg_pool2d(self.conv1(x), 2)"),
    ),
    deviation(
        "channels-shuffled",
        DEPTHWISE,
        "the depthwise kernels are laid on the channels in another order",
        where="conv|separable",
        says=("order|permut|channel|group|shift|roll",),
        blind=True,
        torch=swap("self.conv1(x)", "self.conv1(x.roll(1, 1))"),
        flax=swap(
            "nnx.relu(self.bn1(self.conv1(x)))",
            "nnx.relu(self.bn1(self.conv1(jnp.roll(x, 1, axis=-1))))",
            times=2,
            at=0,
        ),
    ),
    deviation(
        "pool-counts-padding",
        LOPSIDED,
        "the average pool counts its padding",
        where="pool2",
        says=("count|padd", "pad|include|mean|averag"),
        torch=swap("count_include_pad=False", "count_include_pad=True"),
        keras=swap("return pool(pad(x)) / inside", "return pool(pad(x))"),
        flax=swap("count_include_pad=False", "count_include_pad=True"),
        gluon=swap("count_include_pad=False", "count_include_pad=True"),
    ),
    deviation(
        "max-for-average",
        DENSE,
        "a max pool for the average pool",
        where="pool1",
        says=(r"max",),
        torch=swap("F.avg_pool2d(", "F.max_pool2d("),
        keras=swap("layers.AveragePooling2D(", "layers.MaxPooling2D("),
        flax=swap("nnx.avg_pool(", "nnx.max_pool("),
        gluon=swap("nn.AvgPool2D(", "nn.MaxPool2D("),
    ),
    deviation(
        "average-for-max",
        LENET,
        "an average pool for the max pool",
        where="pool1",
        says=("average|avg|mean",),
        torch=swap("F.max_pool2d(", "F.avg_pool2d("),
        keras=swap("layers.MaxPooling2D(", "layers.AveragePooling2D("),
        flax=swap("nnx.max_pool(", "nnx.avg_pool("),
        gluon=swap("nn.MaxPool2D(", "nn.AvgPool2D("),
    ),
    deviation(
        "pool-ceil",
        ODD,
        "the second pool rounds its size up: windows that reach over the edge count",
        where="pool2",
        says=("ceil|round.* up|larger|size|shape|edge|partial",),
        torch=swap(
            "F.max_pool2d(F.relu(self.conv2(x)), 2)",
            "F.max_pool2d(F.relu(self.conv2(x)), 2, ceil_mode=True)",
        ),
        keras=swap("layers.MaxPooling2D(2)", 'layers.MaxPooling2D(2, padding="same")'),
        flax=swap("(2, 2), strides=(2, 2)", '(2, 2), strides=(2, 2), padding="SAME"'),
        gluon=swap("nn.MaxPool2D(pool_size=2)", "nn.MaxPool2D(pool_size=2, ceil_mode=True)"),
    ),
    deviation(
        "pool-pads-zeros",
        ODD,
        "the max pool's padding is zeros, which win over what is negative",
        where="pool1",
        says=("pad|zero",),
        blind=True,
        torch=swap(
            "F.max_pool2d(self.bn1(self.conv1(x)), 3, stride=2, padding=1)",
            "F.max_pool2d(F.pad(self.bn1(self.conv1(x)), (1, 1, 1, 1)), 3, stride=2)",
        ),
        keras=swap('constant_values=float("-inf")', "constant_values=0.0"),
    ),
    deviation(
        "global-max",
        RESIDUAL,
        "the last pool takes each channel's largest value, not its mean",
        where="pool2|GlobalAvg|fc1",
        says=("max|larg",),
        blind=True,
        torch=swap(
            "torch.mean(self.residual2(x), dim=(2, 3))", "torch.amax(self.residual2(x), dim=(2, 3))"
        ),
        keras=swap("GlobalAveragePooling2D", "GlobalMaxPooling2D"),
        flax=swap("jnp.mean(self.residual2(x), ", "jnp.max(self.residual2(x), "),
        gluon=swap("GlobalAvgPool2D", "GlobalMaxPool2D"),
    ),
    deviation(
        "global-sum",
        RESIDUAL,
        "the last pool sums each channel",
        where="pool2|GlobalAvg|fc1",
        says=(r"sum|16|times|factor",),
        blind=True,
        torch=swap("torch.mean(self.residual2(x), ", "torch.sum(self.residual2(x), "),
        keras=swap("x = layers.GlobalAveragePooling2D()(x)", "x = keras.ops.sum(x, axis=(1, 2))"),
        flax=swap("jnp.mean(self.residual2(x), ", "jnp.sum(self.residual2(x), "),
    ),
)
