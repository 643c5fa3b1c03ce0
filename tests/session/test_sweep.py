"""Sweeps: every variant once, and the line through them."""

from __future__ import annotations

from dataclasses import replace as changed
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from made_up import CELL, comparison, facts
from msgspec.structs import replace
from rich.console import Console

from tensorstone.analysis.sweep import fits
from tensorstone.models.load import find
from tensorstone.report.as_json import results_json
from tensorstone.report.plots import sweep_plot
from tensorstone.report.sweep import sweep_table
from tensorstone.results.comparison import Cell, Comparison
from tensorstone.results.estimate import Estimate
from tensorstone.session.running import workload_facts
from tensorstone.session.sweep_points import SweepPoint, at_batch, variants

LENET = find("lenet")
EAGER = CELL.dialect
SVG_TEXT = "{http://www.w3.org/2000/svg}text"


def race(number: int, variant: SweepPoint) -> Comparison:
    """Of a step that costs 5 ms, and half a millisecond a sample more, with two threads."""
    step_s = (0.010 + 0.001 * variant.workload.recipe.batch) / variant.threads
    said = workload_facts(variant.workload, variant.base)
    metrics = {"step_s": Estimate(step_s, step_s, step_s, 3)}
    return comparison(
        [replace(CELL, rank=1, metrics=metrics)],
        facts(number, workload=said, threads=variant.threads),
        rounds=3,
        steps={EAGER: {1: step_s, 2: 1.01 * step_s, 3: 0.99 * step_s}},
    )


def points(batches: tuple[int, ...], threads: tuple[int, ...] = (2,)) -> list[Comparison]:
    wanted = variants([LENET], batches, threads)
    return [race(number, variant) for number, variant in enumerate(wanted, start=1)]


def test_without_a_sweep_a_workload_is_raced_as_it_is() -> None:
    assert variants([LENET], [], [2]) == [SweepPoint(LENET, LENET, 2)]


def test_every_size_with_every_number_of_threads() -> None:
    found = variants([LENET], [1, 8], [1, 2])
    assert [(v.workload.recipe.batch, v.threads) for v in found] == [(1, 1), (1, 2), (8, 1), (8, 2)]
    assert {v.base.name for v in found} == {"lenet"}
    assert [v.workload.name for v in found[::2]] == ["lenet-batch1", "lenet-batch8"]
    assert found[0].workload is found[1].workload, "its programs are proven once"


def test_only_the_batch_is_another() -> None:
    other = at_batch(LENET, 8)
    recipe = changed(other.recipe, batch=LENET.recipe.batch)
    assert changed(other, name="lenet", recipe=recipe) == LENET


def test_a_line_is_found() -> None:
    line = fits(points((1, 8, 32)), EAGER)
    assert line is not None and line.worst < 0.01
    assert line.fixed_s.value == pytest.approx(0.005, rel=0.01)
    assert line.per_sample_s.value == pytest.approx(0.0005, rel=0.01)


def shown(sweep: list[Comparison]) -> str:
    console = Console(file=StringIO(), width=100)
    console.print(sweep_table(sweep))
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_the_table_says_the_line_where_there_is_one() -> None:
    batches, threads = shown(points((1, 8, 32))), shown(points((8,), (1, 2)))
    assert "batch 1" in batches and "batch 32" in batches and "a sample" in batches
    assert "5.00 ms" in batches and "500 µs" in batches
    assert "1 thread" in threads and "2 threads" in threads and "a sample" not in threads


def test_json_tells_the_races_apart() -> None:
    sweep = points((1, 8), (1, 2))
    said = results_json(sweep)
    assert [(run["batch"], run["threads"]) for run in said["runs"]] == [
        *((1, 1), (1, 2), (8, 1), (8, 2))
    ]
    assert said["sweeps"][0]["fits"] == {}, "with several numbers of threads there is no one line"
    assert said["sweeps"][0]["workload"] == "lenet"
    assert [point["run"] for point in said["sweeps"][0]["points"]] == [1, 2, 3, 4]
    assert [cell["run"] for cell in said["cells"]] == [1, 2, 3, 4]
    assert results_json(sweep[:1])["sweeps"] == []


def vague(done: Cell) -> Cell:
    step = done.metrics["step_s"]
    spread = replace(step, low=0.9 * step.value, high=1.1 * step.value)
    return replace(done, metrics={"step_s": spread})


def texts(picture: Path) -> list[str]:
    return ["".join(text.itertext()) for text in ElementTree.parse(picture).iter(SVG_TEXT)]


def test_the_picture_shows_every_size_and_dialect(tmp_path: Path) -> None:
    picture = sweep_plot(points((1, 8, 32)), tmp_path / "plots")
    assert picture is not None and picture.parent == tmp_path / "plots"
    said = texts(picture)
    assert {"batch size", "1", "8", "32", "pytorch/eager"} <= set(said)
    assert any("3 restarts, no intervals" in text for text in said)
    assert any("A <fast> CPU" in text for text in said)
    wide = [replace(p, cells=tuple(map(vague, p.cells))) for p in points((1, 8))]
    picture = sweep_plot(wide, tmp_path)
    assert picture is not None
    assert any("bars: 95 % intervals over 3 restarts" in text for text in texts(picture))
    both = sweep_plot(points((1, 8), (1, 2)), tmp_path)
    assert both is not None and texts(both).count("batch size") == 2, "one for each thread count"
    only_threads = sweep_plot(points((8,), (1, 2)), tmp_path)
    assert only_threads is not None and "threads" in texts(only_threads)


def test_nothing_is_drawn_of_one_race_or_of_none_that_was_timed(tmp_path: Path) -> None:
    assert sweep_plot(points((8,)), tmp_path) is None
    untimed = [replace(p, cells=()) for p in points((1, 8))]
    assert sweep_plot(untimed, tmp_path) is None
    assert list(tmp_path.iterdir()) == []
