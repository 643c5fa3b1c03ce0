"""A workload as plain data and back: what a ledger keeps of it, so that it can be run again.

Every part is its fields and, under `is`, its class. A whole number that was written in a block's
parameters keeps how it was written.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

from tensorstone.models import messages
from tensorstone.models.layers import Layer
from tensorstone.models.model import Model
from tensorstone.models.named import Named
from tensorstone.models.recipe import SGD, Adam, Momentum, Recipe, RMSprop
from tensorstone.models.structure import BlockUse, Fork, Sequential
from tensorstone.models.workload import Data, Init, Workload
from tensorstone.support.errors import StoneError


def to_data(workload: Workload) -> dict[str, Any]:
    """All of it, in what JSON has."""
    written: dict[str, Any] = _data(workload)
    return written


def from_data(data: dict[str, Any]) -> Workload:
    """The workload that was written so."""
    try:
        found = _value(data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        why = f"{type(error).__name__}: {error}"
        raise StoneError(*messages.kept_not_readable(why)) from error
    if not isinstance(found, Workload):
        raise StoneError(*messages.kept_not_readable(messages.NOT_A_WORKLOAD))
    return found


def sha(workload: Workload) -> str:
    """What it is known by: two workloads are the same if all of them is."""
    text = json.dumps(to_data(workload), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _data(value: Any) -> Any:
    if isinstance(value, Named):
        return {"is": "Named", "value": int(value), "text": value.text}
    if isinstance(value, tuple | list):
        return [_data(one) for one in value]
    if is_dataclass(value):
        return {"is": type(value).__name__} | {
            f.name: _data(getattr(value, f.name)) for f in fields(value)
        }
    return value


def _value(data: Any) -> Any:
    if isinstance(data, list):
        return tuple(_value(one) for one in data)
    if not isinstance(data, dict):
        return data
    given = {key: _value(one) for key, one in data.items() if key != "is"}
    return _made(data["is"])(**given)


def _made(kind: str) -> Callable[..., Any]:
    known: dict[str, Callable[..., Any]] = {
        "Model": lambda name, inputs, body: Model(name, inputs, body),
        "Sequential": lambda parts: Sequential(*parts),
    }
    parts = (Adam, BlockUse, Data, Fork, Init, Momentum, Named, RMSprop, Recipe, SGD, Workload)
    known |= {part.__name__: part for part in (*parts, *_kinds(Layer))}
    return known[kind]


def _kinds(layer: type[Layer]) -> list[type[Layer]]:
    """Every kind of layer there is of this kind, this one too."""
    below = [kind for sub in layer.__subclasses__() for kind in _kinds(sub)]
    return [layer, *below]
