"""JSON held against the fields that docs/json.md names."""

from __future__ import annotations

from typing import Any

from tensorstone.report.json_fields import BY_NAME, Field


def known(kind: str) -> bool:
    """Whether a type is made of types that there are."""
    element, by, _ = kind.rpartition(" by ")
    if by:
        return known(element)
    kind = kind.removesuffix(" or null")
    if kind.startswith("list of ") and kind not in BY_NAME:
        return known(kind.removeprefix("list of "))
    return kind in ("text", "number", "whole", "bool") or kind in BY_NAME


def wrong(value: Any, kind: str, where: str = "") -> list[str]:
    """Where a value read from JSON is not of its type, or has a field that is not said."""
    element, by, _ = kind.rpartition(" by ")
    if by:
        if not isinstance(value, dict):
            return [f"{where} is no object"]
        return [
            said for key, one in value.items() for said in wrong(one, element, f"{where}.{key}")
        ]
    if kind.endswith(" or null"):
        return [] if value is None else wrong(value, kind.removesuffix(" or null"), where)
    if kind in BY_NAME:
        return _wrong_object(value, BY_NAME[kind].fields, where)
    if kind.startswith("list of "):
        element = kind.removeprefix("list of ")
        if not isinstance(value, list):
            return [f"{where} is no list"]
        return [said for one in value for said in wrong(one, element, f"{where}[]")]
    right = {
        "text": isinstance(value, str),
        "bool": isinstance(value, bool),
        "whole": isinstance(value, int) and not isinstance(value, bool),
        "number": isinstance(value, int | float) and not isinstance(value, bool),
    }
    return [] if right[kind] else [f"{where} is no {kind}: {value!r}"]


def _wrong_object(value: Any, named: dict[str, Field], where: str) -> list[str]:
    if not isinstance(value, dict):
        return [f"{where} is no object"]
    found = [f"{where}.{key} is not said" for key in value if key not in named]
    for key, one in value.items():
        if key in named:
            found += wrong(one, named[key].type, f"{where}.{key}")
    return found


def wrong_results(said: dict[str, Any]) -> list[str]:
    """The same for results, whose runs, proofs and trainings have more keys."""
    said = {key: value for key, value in said.items() if key not in ("schema", "command")}
    found = []
    for run in said["runs"]:
        more = {"compare": "race", "train": "training"}.get(run["command"])
        fields = BY_NAME["run"].fields | (BY_NAME[more].fields if more else {})
        found += _wrong_object(run, fields, "run")
    for cell in said["cells"]:
        cell = {**cell, "metrics": dict(cell["metrics"])}
        epochs, proof = cell["metrics"].pop("epochs", []), cell.pop("proof")
        found += wrong(epochs, "list of epoch", "epochs") + wrong(cell, "cell", "cell")
        named = BY_NAME["proof"].fields
        levels = {key: value for key, value in (proof or {}).items() if key not in named}
        rest = {key: value for key, value in (proof or {}).items() if key in named}
        found += wrong(levels, "level by name", "proof") + wrong(rest, "proof", "proof")
    whole = {key: value for key, value in said.items() if key not in ("runs", "cells")}
    return found + wrong(whole, "results", "results")
