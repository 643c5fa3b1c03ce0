"""What is nearly always a mistake in a workload is a warning at the line of the call."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import pytest
from api.conftest import SMALL

import tensorstone as stone
from tensorstone.models import Model, ReLU
from tensorstone.models.load import find

CALLS = {
    "translate": lambda mine: stone.translate(mine, "null"),
    "prove": lambda mine: stone.prove([mine], "null", progress=False),
    "train": lambda mine: stone.train(mine, "null", data="synthetic", progress=False),
    "compare": lambda mine: stone.compare(mine, "null", budget=1, threads=1, progress=False),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_warns_once_at_its_own_line(name: str) -> None:
    small = find(str(SMALL))
    model = Model("Mine", small.model.inputs, [small.model.body, ReLU()])
    mine = replace(small, name="mine", model=model)
    with pytest.warns(stone.WorkloadWarning) as caught:
        CALLS[name](mine)
    (one,) = caught
    assert str(one.message).startswith("mine: relu3: ReLU before softmax-cross-entropy: ")
    assert "; remove the last ReLU" in str(one.message)
    assert one.filename == __file__


def test_a_file_has_its_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    text = SMALL.read_text(encoding="utf-8").replace("rate=1e-3", "rate=1")
    path.write_text(text.replace('"small-cnn"', '"mine"'), encoding="utf-8")
    line = 1 + text.splitlines().index("        optimiser=Adam(rate=1),")
    with pytest.warns(stone.WorkloadWarning, match=f"mine.py:{line}: Adam with rate=1 "):
        stone.translate(path, "null")


def test_what_makes_sense_is_not_warned_of() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stone.translate("lenet", "null")
        stone.translate(SMALL, "null")
