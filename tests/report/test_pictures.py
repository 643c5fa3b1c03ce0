"""Pictures in files: which there are, by what their names end in, and what they show."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_up import CELL, comparison, facts
from msgspec.structs import replace

from tensorstone.report import pictures
from tensorstone.results.comparison import Comparison
from tensorstone.results.estimate import Estimate
from tensorstone.support.errors import StoneError


def race(number: int, batch: int = 16) -> Comparison:
    step = Estimate(3e-3 * number, 2.9e-3 * number, 3.2e-3 * number, 5)
    cells = [
        replace(CELL, dialect=name, rank=rank, metrics={"step_s": step})
        for rank, name in enumerate(("a/one", "b/two"), 1)
    ]
    workload = replace(facts().workload, batch=batch)
    return comparison(cells, facts(number, workload=workload))


@pytest.mark.parametrize(
    ("ending", "begins"), [("svg", b"<svg"), ("PNG", b"\x89PNG"), ("html", b"<!DOCTYPE html>")]
)
def test_a_ranking_by_its_ending(ending: str, begins: bytes, tmp_path: Path) -> None:
    file = tmp_path / f"out.{ending}"
    pictures.check(file)
    assert pictures.save([race(1)], file) == [file]
    content = file.read_bytes()
    assert content.lstrip().startswith(begins)
    if ending == "svg":
        assert b"a/one" in content and b"a training step, ms" in content
    if ending == "html":
        assert b"cdn.jsdelivr.net" not in content, "it is drawn without a network"


def test_too_few_rounds_have_no_ranks_in_the_picture_either(tmp_path: Path) -> None:
    done = race(1)
    step = Estimate(3e-3, None, None, 2)
    few = [replace(cell, rank=1, metrics={"step_s": step}) for cell in done.cells]
    pictures.save([replace(done, cells=tuple(few))], tmp_path / "out.svg")
    assert "too few rounds for ranks" in (tmp_path / "out.svg").read_text()


def test_several_are_numbered(tmp_path: Path) -> None:
    file = tmp_path / "out.svg"
    written = pictures.save([race(1, 8), race(2, 16)], file)
    assert [one.name for one in written] == ["out-1.svg", "out-2.svg", "out-3.svg"]
    assert all(one.exists() for one in written)


def test_nothing_timed_is_nothing_to_draw(tmp_path: Path) -> None:
    assert pictures.save([comparison([CELL])], tmp_path / "out.svg") == []
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["out.bmp", "out", "none/out.svg"])
def test_what_no_picture_can_be_written_to(name: str, tmp_path: Path) -> None:
    with pytest.raises(StoneError, match="--plot"):
        pictures.check(tmp_path / name)
