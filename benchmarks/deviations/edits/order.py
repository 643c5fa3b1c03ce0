"""Which samples are trained on, in which order and in which batches."""

from __future__ import annotations

from typing import Any

from benchmarks.deviations.deviation import Deviation, deviation, swap
from benchmarks.deviations.nets import CLASSIFIER, LENET

SAMPLES = "TensorDataset(torch.from_numpy(x), torch.from_numpy(y))"
TORCH, KERAS = "def batches(x, y, batch_size, workers=0):\n", "def batches(x, y, batch_size):\n"
GLUON, FLAX = TORCH, KERAS
FLAX_RANGE = "range(0, len(x) - batch_size + 1, batch_size)"
KERAS_LAST = "return samples.batch(batch_size, drop_remainder=True)"
BATCHES = "batch|sample|order"
LOSSES = "losses.append(loss.detach())"


def at_first(line: str, *names: str) -> dict[str, Any]:
    """A line of NumPy before batches are made."""
    heads = {"torch": TORCH, "keras": KERAS, "flax": FLAX, "gluon": GLUON}
    return {name: swap(heads[name], f"{heads[name]}    {line}\n") for name in names or heads}


DEVIATIONS: tuple[Deviation, ...] = (
    deviation(
        "remainder-kept",
        LENET,
        "the last, incomplete batch is trained on",
        says=("remain|incomplete|last|partial|rest|drop", "batch|sample"),
        torch=swap("drop_last=True", "drop_last=False"),
        keras=swap("drop_remainder=True", "drop_remainder=False"),
        flax=swap(FLAX_RANGE, "range(0, len(x), batch_size)"),
        gluon=swap('last_batch="discard"', 'last_batch="keep"'),
    ),
    deviation(
        "last-batch-dropped",
        LENET,
        "the last full batch is dropped as well",
        says=("last|batch", "drop|missing|not trained|fewer|left out|skip"),
        torch=swap(
            SAMPLES, SAMPLES.replace("(x)", "(x[:-batch_size])").replace("(y)", "(y[:-batch_size])")
        ),
        keras=swap(KERAS_LAST, "samples = samples.take(len(x) - batch_size)\n    " + KERAS_LAST),
        flax=swap(FLAX_RANGE, "range(0, len(x) - batch_size, batch_size)"),
    ),
    deviation(
        "first-batch-skipped",
        LENET,
        "the first batch is skipped: read to see its shape",
        says=("first|batch", "skip|missing|not trained|fewer|left out|drop|shift|order"),
        blind=True,
        torch=swap(
            "    for x, y in batches:",
            "    batches = iter(batches)\n    next(batches)\n    for x, y in batches:",
        ),
        flax=swap("for x, y in batches]", "for x, y in list(batches)[1:]]"),
        keras=swap(KERAS_LAST, "samples = samples.skip(batch_size)\n    " + KERAS_LAST),
        gluon=swap(
            "    for x, y in batches:",
            "    batches = iter(batches)\n    next(batches)\n    for x, y in batches:",
        ),
    ),
    deviation(
        "batches-shuffled",
        LENET,
        "samples are shuffled",
        says=("shuffl|order|random|permut",),
        torch=swap("batch_size, drop_last=True", "batch_size, shuffle=True, drop_last=True"),
        keras=swap("from_tensor_slices((x, y))", "from_tensor_slices((x, y)).shuffle(len(x))"),
        gluon=swap("batch_size, last_batch", "batch_size, shuffle=True, last_batch"),
        **at_first("order = np.random.permutation(len(x)); x, y = x[order], y[order]", "flax"),
    ),
    deviation(
        "batches-reversed",
        LENET,
        "batches come last first",
        says=("revers|order|last first|backward",),
        torch=swap("for x, y in batches:", "for x, y in list(batches)[::-1]:"),
        flax=swap("for x, y in batches]", "for x, y in list(batches)[::-1]]"),
        gluon=swap("for x, y in batches:", "for x, y in list(batches)[::-1]:"),
    ),
    deviation(
        "samples-reversed",
        LENET,
        "samples come last first",
        says=("revers|order|last first|backward|remain|other",),
        blind=True,
        **at_first("x, y = x[::-1].copy(), y[::-1].copy()"),
    ),
    deviation(
        "samples-strided",
        LENET,
        "a batch takes every n-th sample, not neighbours",
        says=("order|sample|batch|other|permut|interleav|stride",),
        blind=True,
        **at_first(
            "order = np.arange(len(x) // batch_size * batch_size).reshape(batch_size, -1).T.ravel(); x, y = x[order], y[order]"
        ),
    ),
    deviation(
        "batch-of-another-size",
        CLASSIFIER,
        "batches are half as large",
        says=("half|4|size|batch|twice as many|losses",),
        blind=True,
        **at_first("batch_size = max(batch_size // 2, 1)"),
    ),
    deviation(
        "one-batch-again-and-again",
        LENET,
        "the first batch is trained on again and again: the debugging loop left in",
        says=("same|first|again|repeat|one batch|order",),
        blind=True,
        torch=swap(
            "    for x, y in batches:",
            "    batches = list(batches)\n    for x, y in batches[:1] * len(batches):",
        ),
        flax=swap("x[i : i + batch_size], y[i : i + batch_size]", "x[:batch_size], y[:batch_size]"),
    ),
    deviation(
        "samples-overlap",
        LENET,
        "batches overlap by half",
        says=("overlap|order|batch|sample|more",),
        blind=True,
        torch=swap(SAMPLES, SAMPLES.replace("(x)", "(x[order])").replace("(y)", "(y[order])"))
        + swap(
            TORCH,
            f"{TORCH}    starts = range(0, len(x) - batch_size + 1, batch_size // 2)\n    order = np.concatenate([np.arange(i, i + batch_size) for i in starts])\n",
        ),
        flax=swap(FLAX_RANGE, "range(0, len(x) - batch_size + 1, batch_size // 2)"),
    ),
    deviation(
        "loss-of-the-batch-before",
        LENET,
        "the losses returned are running means",
        says=("loss", "mean|averag|running|returned|reported|smooth"),
        blind=True,
        torch=swap(LOSSES, "losses.append((sum(losses) + loss.detach()) / (len(losses) + 1))"),
    ),
    deviation(
        "loss-after-the-update",
        LENET,
        "the losses returned are those after the update",
        says=("loss", "after|update|returned|reported|later"),
        blind=True,
        torch=swap(LOSSES, "losses.append(loss_fn(net(x), y).detach())"),
    ),
    deviation(
        "prediction-doubled-up",
        LENET,
        "predictions are softmax probabilities, not the net's outputs",
        says=("softmax|probab",),
        blind=True,
        torch=swap(
            "return net(torch.from_numpy(x))",
            "return nn.functional.softmax(net(torch.from_numpy(x)), 1)",
        ),
        keras=swap(
            "return net.predict(x, batch_size=len(x), verbose=0)",
            "return keras.ops.softmax(net.predict(x, batch_size=len(x), verbose=0))",
        ),
        flax=swap(
            "def predict(net, x):\n    return net(x)",
            "def predict(net, x):\n    return nnx.softmax(net(x))",
        ),
        gluon=swap("return net(mx.nd.array(x))", "return net(mx.nd.array(x)).softmax()"),
    ),
)
