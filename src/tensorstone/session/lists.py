"""What there is: workloads, dialects, other versions, layers, deviations and data, as rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorstone.support.errors import StoneError
from tensorstone.support.naming import did_you_mean, same_name

Row = dict[str, Any]
USUAL = ("workloads", "dialects")


def lists(what: str = "") -> dict[str, list[Row]]:
    """The list of this name; without one, those that a person needs first."""
    name = same_name(what, LISTS)
    if what and name is None:
        raise StoneError(f"there is no list of {what!r}", did_you_mean(what, list(LISTS)))
    return {one: LISTS[one]() for one in ([name] if name else USUAL)}


def _workloads() -> list[Row]:
    from tensorstone.models.load import find, names

    found = [find(name) for name in names()]
    return [
        {
            "name": w.name,
            "title": w.title,
            "parameters": w.model.parameters,
            "batch": w.recipe.batch,
            "optimiser": type(w.recipe.optimiser).__name__,
            "data": w.data.name,
        }
        for w in found
    ]


def _dialects() -> list[Row]:
    from tensorstone.dialects.registry import frameworks
    from tensorstone.runtime.environments.environment import find

    return [
        {
            "name": dialect.name,
            "lane": dialect.lane,
            "version": framework.pin,
            "installed": installed,
            "meaning": dialect.meaning,
        }
        for framework in frameworks().values()
        for installed in [find(framework) is not None]
        for dialect in framework.dialects
    ]


def _versions() -> list[Row]:
    from tensorstone.dialects.registry import versions
    from tensorstone.runtime.environments.environment import find

    return [
        {
            "name": framework.name,
            "python": framework.python,
            "installed": find(framework) is not None,
            "dialects": [dialect.short for dialect in framework.dialects],
        }
        for framework in versions().values()
    ]


def _layers() -> list[Row]:
    from tensorstone import models

    kinds = [k for name in models.__all__ if _is_layer(k := getattr(models, name))]
    return [
        {"name": k.__name__, "meaning": (k.__doc__ or "").strip().split("\n")[0]} for k in kinds
    ]


def _is_layer(thing: object) -> bool:
    from tensorstone.models.layers import Layer

    return isinstance(thing, type) and issubclass(thing, Layer)


def _deviations() -> list[Row]:
    from tensorstone.proof.deviations import CATALOGUE

    return [{"name": d.name, "meaning": d.meaning} for d in CATALOGUE]


def _data() -> list[Row]:
    from tensorstone.data.listing import rows

    return rows()


LISTS: dict[str, Callable[[], list[Row]]] = {
    "workloads": _workloads,
    "dialects": _dialects,
    "versions": _versions,
    "layers": _layers,
    "deviations": _deviations,
    "data": _data,
}
