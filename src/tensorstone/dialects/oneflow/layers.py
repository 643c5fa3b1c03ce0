"""How OneFlow's users write a network: layers in `__init__`, applied in `forward`."""

from __future__ import annotations

from tensorstone.dialects.oneflow.recipe import LOSSES, optimiser
from tensorstone.dialects.registry import Dialect
from tensorstone.dialects.shared.torch_like.layers import TorchLike
from tensorstone.dialects.shared.unrolled import refuse_long
from tensorstone.models import recurrent as R
from tensorstone.models.placed import leaves
from tensorstone.models.recipe import RMSprop
from tensorstone.models.workload import Workload

ONEFLOW = TorchLike("OneFlow", "flow", default_slope=None)
# In a graph. A proof took 7 minutes for 128 steps, beside other work; one of 1,024 held 9 GiB and
# was not done after 11 minutes of processor time. None between was tried.
MOST_UNROLLED = 512


def describe(workload: Workload, dialect: Dialect) -> dict[str, object]:
    """What the template needs: one class for each block, one for the model."""
    if dialect.short == "graph":
        refuse_long(leaves(workload.model.chain), MOST_UNROLLED, "nn.Graph unrolls sequences")
    layers = [leaf.layer for leaf in leaves(workload.model.chain)]
    return {
        "classes": ONEFLOW.classes(workload.model),
        "loss": LOSSES[workload.recipe.loss],
        "optimiser": optimiser(workload.recipe),
        "rmsprop": isinstance(workload.recipe.optimiser, RMSprop),
        "decay": getattr(workload.recipe.optimiser, "decay", 0.0),
        "one_bias": any(isinstance(x, R.Recurrent) and x.biases == 1 for x in layers),
    }
