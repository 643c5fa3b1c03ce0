"""Which of MXNet's two interfaces a dialect is written in: symbols or Gluon."""

from __future__ import annotations

from tensorstone.dialects.mxnet import gluon, symbol
from tensorstone.dialects.mxnet.recipe import GLUON_LOSSES, SYMBOL_LOSSES, optimiser
from tensorstone.dialects.registry import Dialect, lookup
from tensorstone.models.workload import Workload

SYMBOLIC = ("module", "symbolblock")


def describe(workload: Workload, dialect: Dialect) -> dict[str, object]:
    """What the template needs."""
    model, loss = workload.model, workload.recipe.loss
    if dialect.short in SYMBOLIC:
        described = symbol.describe(model, lookup(dialect.framework).pin)
    else:
        described = gluon.describe(model, "mx.nd" if dialect.short == "gluon" else "F")
    name, settings = optimiser(workload.recipe)
    return {
        **described,
        "loss": SYMBOL_LOSSES.get(loss) if dialect.short == "module" else GLUON_LOSSES[loss],
        "optimiser": name,
        "settings": settings,
        "decay": getattr(workload.recipe.optimiser, "decay", 0.0),
        "label": "softmax_label" if workload.classifies else "label",
        "label_shape": () if workload.classifies else model.outputs,
    }
