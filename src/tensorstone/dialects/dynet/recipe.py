"""DyNet's losses and optimisers, which it calls trainers."""

from __future__ import annotations

from tensorstone.dialects.emit import Unsupported
from tensorstone.dialects.shared.writing import number
from tensorstone.models.recipe import SGD, Adam, Momentum, Recipe, RMSprop

TRAINERS = {
    SGD: "SimpleSGDTrainer(net.pc, {})",
    Momentum: "MomentumSGDTrainer(net.pc, {}, mom={})",
    Adam: "AdamTrainer(net.pc, {}, beta_1={}, beta_2={}, eps={})",
}
LOSSES = {
    "softmax-cross-entropy": "dy.pickneglogsoftmax_batch(outputs, y)",
    "binary-cross-entropy": "dy.mean_elems(-dy.log_sigmoid(-outputs) - dy.cmult(outputs, y))",
    "mean-squared": "dy.mean_elems(dy.square(outputs - y))",
    "half-squared": "dy.mean_elems(dy.square(outputs - y)) * 0.5",
    "absolute": "dy.mean_elems(dy.abs(outputs - y))",
}


def trainer(recipe: Recipe) -> str:
    """The trainer's construction."""
    rates = dict(vars(recipe.optimiser))
    if isinstance(recipe.optimiser, RMSprop):
        raise Unsupported("optimiser: RMSPropTrainer adds epsilon inside the root")
    if rates.pop("nesterov", False):
        raise Unsupported("optimiser: DyNet has no Nesterov momentum")
    return TRAINERS[type(recipe.optimiser)].format(*map(number, rates.values()))
