"""What a room's `framework.toml` may say: mistakes in it are named before they cost anything."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from tensorstone.dialects import messages
from tensorstone.support.errors import StoneError
from tensorstone.support.naming import did_you_mean

REQUIRED = ("title", "home", "python", "package", "requirements", "layout")
OPTIONAL = ("conventions", "environment", "glibc", "system", "shims", "note")
TABLES = ("dialects", "builds", "versions")
DIALECT_REQUIRED = ("lane", "meaning")
DIALECT_OPTIONAL = ("losses", "outputs", "note", "defect", "build")
CHOICES = {
    "layout": ("NCHW", "NHWC"),
    "lane": ("idiomatic", "tuned"),
    "losses": ("batch", "call"),
    "outputs": ("logits", "probabilities"),
}


def check(toml: Path, table: dict[str, Any]) -> None:
    """Raise a `StoneError` for the first mistake."""
    # What every build says for itself need not be said for all of them.
    builds = list(table.get("builds", {}).values())
    apart = [key for key in REQUIRED if builds and all(key in build for build in builds)]
    required = [key for key in (*REQUIRED, "dialects") if key not in apart]
    _keys(toml, "", table, required, (*apart, *OPTIONAL, *TABLES))
    for name, said in table["dialects"].items():
        _keys(toml, f"dialects.{name}: ", said, DIALECT_REQUIRED, DIALECT_OPTIONAL)
        build = said.get("build")
        if build is not None and build not in table.get("builds", {}):
            raise StoneError(*messages.no_build(toml, name, build))
    for kind, more in (("builds", ()), ("versions", ("dialects",))):
        for name, said in table.get(kind, {}).items():
            _keys(toml, f"{kind}.{name}: ", said, (), (*REQUIRED, *OPTIONAL, *more))
    for name, said in table.get("versions", {}).items():
        for dialect in said.get("dialects", ()):
            if dialect not in table["dialects"]:
                raise StoneError(*messages.no_dialect(toml, name, dialect))


def _keys(
    toml: Path,
    where: str,
    said: dict[str, Any],
    required: Collection[str],
    optional: Collection[str],
) -> None:
    for key, value in said.items():
        if key not in required and key not in optional:
            near = did_you_mean(key, [*required, *optional])
            raise StoneError(*messages.unknown_key(toml, where, key, near))
        choices = CHOICES.get(key, ())
        if choices and value not in choices:
            raise StoneError(*messages.wrong_value(toml, where, key, value, choices))
    for key in required:
        if key not in said:
            raise StoneError(*messages.missing_key(toml, where, key))
