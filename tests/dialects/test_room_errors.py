"""A room whose own files fail costs its own cells, and says where."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tensorstone.dialects import emit, registry
from tensorstone.models.load import find
from tensorstone.session.entries import enter


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The null room under another name, to be broken."""
    copy = tmp_path / "broken"
    shutil.copytree(registry.OWN_ROOMS / "null", copy)
    monkeypatch.setenv("STONE_ROOMS", str(tmp_path))
    kept = (registry.rooms, emit._layers_module, emit._templates)
    for cache in kept:
        cache.cache_clear()
    yield copy
    for cache in kept:
        cache.cache_clear()


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        (
            "layers.py",
            "def describe(workload, dialect):\n    return missing\n",
            "layers.py:2: NameE",
        ),
        ("layers.py", "def describe(:\n", "SyntaxError"),
        ("program.py.jinja", "\n\n{{ nowhere }}\n", "program.py.jinja:3: UndefinedError"),
        ("program.py.jinja", "def network(:\n", "does not parse"),
        ("program.py.jinja", None, "TemplateNotFound"),
    ],
)
def test_it_fails_and_the_others_are_written(room: Path, file: str, content: str | None, said: str):
    (room / file).unlink()
    if content is not None:
        (room / file).write_text(content)
    dialects = registry.select(["null", "broken"])
    null, broken = enter([find("lenet")], dialects)
    assert null.outcome.ok
    assert broken.outcome.status == "failed"
    assert said in broken.outcome.reason
