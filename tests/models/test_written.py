"""A workload as plain data: all of it comes back, in every program too."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tensorstone.dialects.emit import emit
from tensorstone.dialects.registry import dialects
from tensorstone.models import Add, Conv2D, Dense, GlobalAvgPool2D, Model, ReLU, Workload, block
from tensorstone.models.load import find, names
from tensorstone.models.written import from_data, sha, to_data
from tensorstone.support.errors import StoneError

SMALL = Path(__file__).parents[1] / "workloads"


def again(workload: Workload) -> Workload:
    return from_data(json.loads(json.dumps(to_data(workload))))


@pytest.mark.parametrize("name", [*names(), *map(str, sorted(SMALL.glob("*.py")))], ids=str)
def test_a_workload_comes_back_whole(name: str) -> None:
    workload = find(name)
    back = again(workload)
    assert back == workload
    assert back.model.chain == workload.model.chain
    assert sha(back) == sha(workload)
    eager = dialects()["pytorch/eager"]
    assert emit(back, eager) == emit(workload, eager)


@block
def inner(width: int, half: int) -> object:
    return [Conv2D(width + 2 * half, kernel=1), ReLU()]


@block
def outer(width: int) -> object:
    return Add([inner(width, width // 2), Conv2D(width, kernel=3, padding=((1, 1), (0, 2)))], [])


def test_blocks_keep_how_their_numbers_were_written() -> None:
    small = find(str(SMALL / "small_cnn.py"))
    model = Model("Nested", (8, 6, 6), [outer(8), GlobalAvgPool2D(), Dense(10, name="last")])
    workload = replace(small, name="nested", model=model)
    back = again(workload)
    assert back == workload
    for name in ("pytorch/eager", "jax/flax", "mxnet/gluon-static"):
        program = emit(back, dialects()[name])
        assert program == emit(workload, dialects()[name])
    assert "2 * half" in emit(back, dialects()["pytorch/eager"])


def test_any_change_is_another_workload() -> None:
    lenet = find("lenet")
    other = replace(lenet, recipe=replace(lenet.recipe, batch=lenet.recipe.batch + 1))
    assert sha(other) != sha(lenet)
    assert sha(replace(lenet, init=replace(lenet.init, seed=7))) != sha(lenet)


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"is": "Recipe"},
        {"is": "Nothing"},
        {"is": "Dense", "units": 3},
        {"is": "Workload", "nAme": "x"},
        to_data(find("lenet")) | {"model": 3},
        to_data(find("lenet")) | {"more": 3},
    ],
)
def test_what_is_no_workload_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(StoneError):
        from_data(data)
