"""A workload described: nothing is emitted, installed or run."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any, Literal

from tensorstone.data.real import GENERATED, PREPARED, available
from tensorstone.models.graph import Join
from tensorstone.models.multiplications import multiplications
from tensorstone.models.placed import leaves
from tensorstone.models.workload import Data, Init, Workload
from tensorstone.results.description import DescribedLayer, Description

BACKWARDS = 2  # times the forward pass: the gradients of the inputs, and of the weights


def describe(workload: Workload) -> Description:
    model, recipe = workload.model, workload.recipe
    layers = _layers(workload)
    count = sum(layer.multiplications for layer in layers)
    return Description(
        name=workload.name,
        title=workload.title,
        source=workload.source,
        model=model.name,
        input=tuple(map(int, model.inputs)),
        layers=layers,
        parameters=model.parameters,
        multiplications=count,
        flops=2 * count,
        step_flops=2 * count * (1 + BACKWARDS) * recipe.batch,
        loss=recipe.loss,
        optimiser=_written(recipe.optimiser),
        batch=recipe.batch,
        epochs=recipe.epochs,
        metric=recipe.metric,
        initial_weights=_initial(workload.init),
        data=workload.data.name,
        samples=workload.data.samples,
        values=_values(workload.data),
        data_state=_state(workload),
    )


def _state(workload: Workload) -> Literal["here", "generated", "to-get", "none"]:
    """Whether there is real data, and where."""
    if workload.data.name in GENERATED:
        return "generated"
    if workload.data.name not in PREPARED:
        return "none"
    return "here" if available(workload) else "to-get"


def _layers(workload: Workload) -> tuple[DescribedLayer, ...]:
    """In the order of computation, joins of paths among them."""
    placed = {leaf.path: leaf for leaf in leaves(workload.model.chain)}
    found = []
    for node in workload.model.graph.nodes:
        trained = sum(weight.size for weight in node.weights if weight.trained)
        join = isinstance(node.layer, Join)
        found.append(
            DescribedLayer(
                name=node.name,
                kind=node.layer.how if isinstance(node.layer, Join) else node.layer.kind,
                settings="" if join else _settings(node.layer),
                output=tuple(map(int, node.shape)),
                parameters=trained,
                multiplications=0 if join else multiplications(placed[node.name]),
            )
        )
    return tuple(found)


def _written(value: Any) -> str:
    return f"{type(value).__name__}({_settings(value, everything=True)})"


def _settings(value: Any, everything: bool = False) -> str:
    """Its numbers as they are written; what is as usual is left out unless all are wanted."""
    said = [
        f"{field.name}={_short(getattr(value, field.name))}"
        for field in fields(value)
        if field.name != "name" and (everything or not _usual(value, field))
    ]
    return ", ".join(said)


def _usual(value: Any, field: Any) -> bool:
    given = _short(getattr(value, field.name))
    if field.name == "stride" and field.default is None:  # a pool's is its kernel unless told
        return bool(given == _short(value.kernel))
    return field.default is not MISSING and given == _short(field.default)


def _short(value: Any) -> str:
    """A pair of equal numbers is one."""
    if isinstance(value, tuple) and len(set(map(_short, value))) == 1:
        return _short(value[0])
    if isinstance(value, tuple):
        return f"({', '.join(map(_short, value))})"
    if isinstance(value, bool):
        return str(value)
    return str(int(value)) if isinstance(value, int) else str(value)


def _initial(init: Init) -> str:
    said = f"{init.kind} {init.value:g}" if init.kind == "constant" else init.kind
    return f"{said}, seed {init.seed}"


def _values(data: Data) -> str:
    match data.values:
        case "uniform":
            return f"uniform from {data.low:g} to {data.high:g}"
        case "tokens":
            return f"tokens below {data.vocabulary:,}"
    return "normal, mean 0 and variance 1"
