"""Two runs compared: intervals that hold the truth, differences that are real, changes that are
named."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from made_up import CELL, RECORD, comparison, facts
from msgspec.structs import replace

from tensorstone.analysis.diff import Side, between_runs, diff, differs, ratio
from tensorstone.results.comparison import Control
from tensorstone.results.conditions import Conditions
from tensorstone.results.difference import BetweenRuns, CellDifference, Change, Difference
from tensorstone.results.estimate import Estimate
from tensorstone.results.program import Program
from tensorstone.results.run import RunRecord
from tensorstone.results.settings import RaceSettings

CONDITIONS = Conditions("lock", threads=2)
PROGRAM = Program("import torch\nprint(1)\n", "program", "workload", "pytorch/eager")
NONE = BetweenRuns("noise-floor", 0.0)


def side(number: int, steps: dict[str, list[float]], **changes: Any) -> Side:
    """A run with these step times, by dialect; changes are of its facts, or of its first cell."""
    of_cell = {key: changes.pop(key) for key in ("version", "program_sha", "conditions", "packages")
               if key in changes}  # fmt: skip
    programs = changes.pop("programs", {PROGRAM.sha: PROGRAM})
    control = changes.pop("control", None)
    known = facts(number, **changes)
    kept = [
        replace(RECORD, dialect=name, conditions=CONDITIONS, packages={"numpy": "2.0"})
        for name in steps
    ]
    if kept:
        kept[0] = replace(kept[0], **of_cell)
    cells = [replace(CELL, dialect=one.dialect, version=one.version) for one in kept]
    by_round = {name: dict(enumerate(values, 1)) for name, values in steps.items()}
    return Side(
        RunRecord(known, tuple(kept), programs=programs),
        comparison(cells, known, steps=by_round, control=control),
    )


def rounds(centre: float, n: int = 8, spread: float = 0.01, seed: int = 0) -> list[float]:
    chance = random.Random(seed)
    return [centre * math.exp(chance.gauss(0, spread)) for _ in range(n)]


def only(found: Difference) -> CellDifference:
    (cell,) = found.cells
    return cell


def changed(found: Difference) -> dict[str, tuple[str, str]]:
    return {one.what: (one.old, one.new) for one in found.changes}


def test_the_ratio_is_new_over_old() -> None:
    cell = only(diff(side(1, {"a": rounds(1.0)}), side(2, {"a": rounds(2.0, seed=1)})))
    assert cell.ratio and cell.ratio.value == pytest.approx(2.0, rel=0.02)
    assert cell.ratio.low and cell.ratio.high and cell.ratio.low < 2.0 < cell.ratio.high
    assert cell.differs and cell.ratio.n == 16
    assert cell.ratio.value == pytest.approx((cell.new_s or 0) / (cell.old_s or 1))


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    chance, held = random.Random(3), 0
    for _ in range(2000):
        old = [math.exp(chance.gauss(0, 0.01)) for _ in range(4)]
        new = [math.exp(chance.gauss(0, 0.04)) for _ in range(9)]
        found = ratio(old, new, NONE)
        assert found.low and found.high
        held += found.low <= 1.0 <= found.high
    assert 0.935 < held / 2000 < 0.965, "unequal spreads and sizes"


def test_equals_at_other_hours_are_rarely_called_different() -> None:
    """The machine is 3 % faster or slower from run to run, which no round shows; four other cells,
    each as far off by itself, do."""
    chance, called = random.Random(5), 0
    for _ in range(1000):
        moved = [chance.gauss(0, 0.03) for _ in range(5)]
        old = [math.exp(chance.gauss(0, 0.002)) for _ in range(8)]
        new = [math.exp(moved[0] + chance.gauss(0, 0.002)) for _ in range(8)]
        called += differs(old, new, between_runs([0.002, 0.002], moved[1:]))
        assert differs(old, new, NONE) or abs(moved[0]) < 0.01, "without them it would be called"
    assert called / 1000 < 0.025


def test_a_large_difference_is_found_beside_that_variation() -> None:
    moved = [0.02, -0.01, 0.015, -0.02]
    between = between_runs([0.01, 0.01], moved)
    assert differs(rounds(1.0), rounds(1.3, seed=1), between)
    assert not differs(rounds(1.0), rounds(1.03, seed=1), between)


def test_variation_comes_from_the_best_that_is_known() -> None:
    spread = math.sqrt((0.03**2 + 0.01**2) / 2)
    floor = math.hypot(0.01, 0.02)
    assert between_runs([0.01, 0.02], [0.03, -0.01]) == BetweenRuns(
        "unchanged-cells", pytest.approx(spread), 2, pytest.approx(floor)
    )
    assert between_runs([0.01, 0.02], []).value == pytest.approx(floor)
    assert between_runs([0.01, None], []) == BetweenRuns(
        "noise-floor", pytest.approx(math.hypot(0.01, 0.01))
    )
    assert between_runs([None, None], []) == BetweenRuns("assumed", pytest.approx(math.log(1.05)))
    assert between_runs([0.01, 0.01], [0.2]).value == 0.2, "one cell that moved far is a warning"


def test_unchanged_cells_never_make_it_less_than_the_noise_floor() -> None:
    calm = between_runs([0.05, 0.05], [1e-6, 1e-6, 1e-6])
    assert not differs(rounds(1.0, spread=1e-4), rounds(1.04, spread=1e-4, seed=1), calm)


def test_the_noise_floor_or_else_the_control_says_what_equals_differ_by() -> None:
    steps = {"a": rounds(1.0)}
    control = Control("a", Estimate(1.01, 0.98, 1.04, 5), 0.0)
    floor = diff(side(1, steps, noise_floor=0.02), side(2, steps, noise_floor=0.02))
    by_control = diff(side(1, steps, control=control), side(2, steps, control=control))
    (one,), (other,) = floor.cells, by_control.cells
    assert one.between and other.between
    assert one.between.value == pytest.approx(math.sqrt(2) * math.log(1.02))
    assert other.between.value == pytest.approx(math.sqrt(2) * math.log(1.04))
    bad = Control("a", Estimate(1.1, 1.09, 1.11, 5), 0.095)
    (worse,) = diff(
        side(1, steps, noise_floor=0.02, control=bad), side(2, steps, noise_floor=0.02)
    ).cells
    assert worse.between and worse.between.value > 0.095, "a control that was off is believed"


def test_a_cell_is_not_its_own_measure() -> None:
    old = {"a": rounds(1.0), "b": rounds(1.0), "c": rounds(1.0)}
    new = {"a": rounds(1.5, seed=1), "b": rounds(1.0, seed=2), "c": rounds(1.0, seed=3)}
    found = diff(side(1, old), side(2, new, version="2.14.0"))
    cells = {cell.dialect: cell for cell in found.cells}
    assert cells["a"].between and cells["a"].between.source == "unchanged-cells"
    assert cells["a"].between.cells == 2 and cells["a"].differs
    assert cells["b"].between and cells["b"].between.source == "assumed", "only c is left"
    assert not cells["a"].unchanged and cells["b"].unchanged


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_rounds_tell_nothing_but_a_factor_of_two_apart(n: int) -> None:
    between = BetweenRuns("noise-floor", 0.01)
    assert not differs([1.0] * n, [1.9] * n, between)
    assert differs([1.0] * n, [2.1] * n, between)
    assert not differs([1.0] * n, [2.1] * n, BetweenRuns("noise-floor", 0.8))
    low = ratio([1.0] * n, [2.1] * n, between).low
    assert (low is None) == (n < 3)


def test_a_cell_of_one_run_only_is_shown_without_a_ratio() -> None:
    found = diff(side(1, {"a": rounds(1.0), "b": rounds(1.0)}), side(2, {"a": rounds(1.0)}))
    gone = {cell.dialect: cell for cell in found.cells}["b"]
    assert (gone.old_status, gone.new_status, gone.ratio, gone.differs) == ("ok", None, None, None)
    assert gone.old_s and gone.new_s is None


def test_what_changed_between_the_runs_is_named() -> None:
    steps = {"a": rounds(1.0)}
    machine = replace(facts().machine, cpu="another", name="there", memory_bytes=2**35)
    found = diff(
        side(1, steps),
        side(2, steps, machine=machine, threads=4, version="", settings=RaceSettings(60.0)),
    )
    assert changed(found) == {
        "machine": ("here", "there"),
        "cpu": ("A <fast> CPU", "another"),
        "memory bytes": (str(2**34), str(2**35)),
        "threads": ("2", "4"),
        "budget_s": ("300", "60"),
    }
    assert not only(found).unchanged, "another machine"


def test_how_long_it_was_measured_changes_no_program() -> None:
    steps = {"a": rounds(1.0)}
    found = diff(side(1, steps), side(2, steps, settings=RaceSettings(60.0)))
    assert only(found).unchanged
    kept = diff(side(1, steps), side(2, steps, settings=RaceSettings(memory_kept=True)))
    assert not only(kept).unchanged and changed(kept) == {"memory_kept": ("False", "True")}


def test_what_changed_in_a_cell_is_named() -> None:
    steps = {"a": rounds(1.0)}
    conditions = Conditions("other", (("OMP_NUM_THREADS", "2"),), 2, "kept")
    new = side(
        2, steps, version="2.14.0", conditions=conditions, packages={"numpy": "2.1", "six": "1"}
    )
    assert only(diff(side(1, steps), new)).changes == (
        Change("pytorch", "2.13.0", "2.14.0"),
        Change("numpy", "2.0", "2.1"),
        Change("six", "", "1"),
        Change("environment", "lock", "other"),
        Change("allocator", "default", "kept"),
        Change("$OMP_NUM_THREADS", "", "2"),
    )


def test_a_changed_program_is_shown_line_by_line() -> None:
    steps = {"a": rounds(1.0)}
    other = Program("import torch\nprint(2)\nprint(3)\n", "other", "workload", "pytorch/eager")
    new = side(2, steps, program_sha="other", programs={"other": other})
    cell = only(diff(side(1, steps), new))
    assert (cell.added, cell.removed, cell.unchanged) == (2, 1, False)
    assert "-print(1)" in cell.text and "+print(3)" in cell.text
    lost = only(diff(side(1, steps), side(2, steps, program_sha="other", programs={})))
    assert lost.changes == (Change("program", "program", "other"),) and not lost.text


def test_a_run_that_kept_no_conditions_is_not_called_unchanged() -> None:
    steps = {"a": rounds(1.0)}
    assert not only(diff(side(1, steps, conditions=None), side(2, steps))).unchanged
