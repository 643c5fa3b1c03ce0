"""docs/python.md does what it says: its code runs from top to bottom."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tensorstone as stone

PAGE = Path(__file__).parents[2] / "docs" / "python.md"
TEXT = PAGE.read_text(encoding="utf-8")
CODE = "\n".join(re.findall(r"^```python\n(.*?)^```", TEXT, re.M | re.S))


@pytest.mark.slow
@pytest.mark.frameworks("pytorch", "jax")
def test_the_code_of_the_page_runs_from_top_to_bottom(tmp_path: Path) -> None:
    short = CODE.replace('budget="60s"', 'budget="5s"').replace("seeds=3", "seeds=1, epochs=1")
    assert short.count('budget="5s"') == 1
    done = subprocess.run(
        [sys.executable, "-c", short], capture_output=True, text=True, cwd=tmp_path, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert "there is no workload called 'lenett'\ndid you mean lenet" in done.stdout
    assert ("pytorch/eager" in done.stdout and "ok 1 " in done.stdout) or "ok 2 " in done.stdout
    assert (tmp_path / "steps.svg").read_text().startswith("<svg")


def test_every_member_of_a_result_on_the_page_exists_and_all_are_there() -> None:
    named = set(re.findall(r"result\.(\w+)", TEXT))
    public = {name for name, _ in inspect.getmembers(stone.Result) if not name.startswith("_")}
    assert named <= public
    assert public - named <= {"facts", "numbers"}


def test_every_argument_on_the_page_exists() -> None:
    known = set(inspect.signature(stone.compare).parameters)
    for name in re.findall(r"`(\w+)=", TEXT):
        assert name in known, name


def test_every_function_is_on_the_page() -> None:
    functions = {n for n in stone.__all__ if inspect.isfunction(getattr(stone, n))}
    assert functions == set(re.findall(r"stone\.([a-z]\w+)\(", TEXT))
