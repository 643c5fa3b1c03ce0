"""`stone list`: what there is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from tensorstone.cli.options import Json
from tensorstone.support.errors import StoneError, did_you_mean

Row = dict[str, Any]


def command(
    what: Annotated[
        str,
        typer.Argument(
            metavar="[WHAT]", help="workloads, dialects, versions, layers, deviations or data"
        ),
    ] = "",
    as_json: Json = False,
) -> None:
    """Say what there is: workloads, dialects, other versions of frameworks, layers, real data sets,
    and the deviations a proof can name.

    Examples:

        stone list

        stone list dialects

        stone list workloads --json
    """
    from tensorstone.cli.console import out, print_json
    from tensorstone.cli.tables import table_of

    if what and what not in LISTS:
        raise StoneError(f"there is no list of {what!r}", did_you_mean(what, list(LISTS)))
    chosen = [what] if what else ["workloads", "dialects"]
    rows = {name: LISTS[name]() for name in chosen}
    if as_json:
        print_json("list", **rows)
        return
    console = out()
    for name in chosen:
        console.print(table_of(name, rows[name]), "")


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
