"""The page on writing a workload shows one that works."""

import re
from pathlib import Path

import pytest

from tensorstone import models
from tensorstone.data.synthetic import synthetic
from tensorstone.models.advice import advice
from tensorstone.models.initial import initial_weights
from tensorstone.models.load import find, read
from tensorstone.models.recipe import LOSSES, METRICS
from tensorstone.support.errors import StoneError

PAGE = (Path(__file__).parents[2] / "docs" / "workloads.md").read_text()
(EXAMPLE,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def load(tmp_path: Path, text: str) -> models.Workload:
    path = tmp_path / "mine.py"
    path.write_text(text)
    return find(str(path))


def test_the_example_loads(tmp_path: Path) -> None:
    workload = load(tmp_path, EXAMPLE)
    assert workload.name == "small-net"
    assert workload.model.outputs == (10,)
    x, y = synthetic(workload, 4, seed=0)
    assert (x.shape, y.shape) == ((4, 3, 32, 32), (4,))
    assert len(initial_weights(workload.model, workload.init)) == len(workload.model.weights)


@pytest.mark.parametrize("word", [*models.__all__, *LOSSES, *METRICS])
def test_the_page_speaks_of_everything_there_is(word: str) -> None:
    assert word == "Sequential" or re.search(rf"\b{re.escape(word)}\b", PAGE)


def test_the_messages_it_shows_are_the_messages_given(tmp_path: Path) -> None:
    for wrong in ("kernel=40", "kernal=3"):
        text = EXAMPLE.replace(
            "Conv2D(32, kernel=3, padding=1, bias=False)", f"Conv2D(32, {wrong})"
        )
        with pytest.raises(StoneError) as caught:
            load(tmp_path, text)
        assert caught.value.message.removeprefix(f"{tmp_path}/") in PAGE


def test_the_warning_it_shows_is_the_warning_given(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        EXAMPLE.replace("        Dense(10),\n", "        Dense(10),\n        Softmax(),\n")
    )
    found = read(str(path))
    (one,) = advice(found.workload, found.file, found.source)
    assert f"warning: {one.message.removeprefix(f'{tmp_path}/')}\n" in PAGE
    assert f"      {one.hint}\n" in PAGE
