"""Kept results are known by what the source does, not by where it lies."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensorstone.support.source_digest import DECIDES, digest, files

TEXT = """\
\"\"\"A module.\"\"\"

from __future__ import annotations

import math
from here.there import (
    this,
    that,
)


def area(radius):
    return math.pi * radius**2
"""


def written(folder: Path, name: str, text: str = TEXT) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("purpose", DECIDES)
def test_every_module_that_decides_something_is_there(purpose: str) -> None:
    for name in DECIDES[purpose]:
        found = files(name)
        assert found and all(path.is_file() for path in found), name


def test_a_moved_module_decides_the_same(tmp_path: Path) -> None:
    other = written(tmp_path, "other.py", "x = 1\n")
    here = digest([written(tmp_path, "here.py"), other])
    moved = written(tmp_path, "there/renamed.py", TEXT.replace("here.there", "now.elsewhere"))
    assert digest([other, moved]) == here


def test_another_statement_decides_otherwise(tmp_path: Path) -> None:
    here = digest([written(tmp_path, "here.py")])
    changed = TEXT.replace("radius**2", "radius**3")
    assert digest([written(tmp_path, "changed.py", changed)]) != here
