"""How PyTorch's users write a network: layers in `__init__`, applied in `forward`."""

from __future__ import annotations

from tensorstone.dialects.pytorch.recipe import LOSSES, optimiser
from tensorstone.dialects.registry import Dialect
from tensorstone.dialects.shared.torch_like.layers import TorchLike
from tensorstone.models import recurrent as R
from tensorstone.models.placed import leaves
from tensorstone.models.workload import Workload

PYTORCH = TorchLike("PyTorch", "torch", default_slope=0.01)


def describe(workload: Workload, dialect: Dialect) -> dict[str, object]:
    """What the template needs: one class for each block, one for the model."""
    layers = [leaf.layer for leaf in leaves(workload.model.chain)]
    cells = [layer for layer in layers if isinstance(layer, R.Recurrent)]
    return {
        "classes": PYTORCH.classes(workload.model),
        "loss": LOSSES[workload.recipe.loss],
        "optimiser": optimiser(workload.recipe),
        "decay": getattr(workload.recipe.optimiser, "decay", 0.0),
        "recurrent": bool(cells),
        "one_bias": any(cell.biases == 1 for cell in cells),
    }
