"""A workload file with several mistakes: all are said at once, each at its own line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensorstone.models.load import find
from tensorstone.support.errors import StoneError

TEN = """\
from tensorstone.models import *

print("runs once")
width = Dens(4)
net = Model("Mine", (1, 8, 8), [
    Conv2D(4, kernal=3),
    Conv2d(4, kernel=3),
    MaxPool2D(0),
    Dropout(2),
    Dense(
        3, bia=True,
    ),
])
workload = Workload(
    name="mine",
    title="Mine",
    model=net,
    recipe=Recipe("mean-squared", SGD(-0.1), batch=8, epoch=1, metric="mse"),
    data=Data("mine", sample=64),
)
"""
LINES = """\
  line 4: Dens is not defined
      width = Dens(4)
      did you mean Dense?
  line 6: Conv2D has no argument kernal
      Conv2D(4, kernal=3),
      did you mean kernel?
  line 7: Conv2d is not defined
      Conv2d(4, kernel=3),
      did you mean Conv2D?
  line 8: MaxPool2D: kernel is 0, below 1
      MaxPool2D(0),
      give kernel at least 1
  line 9: Dropout: rate is 2, not below 1
      Dropout(2),
      give rate less than 1
  line 11: Dense has no argument bia
      3, bia=True,
      did you mean bias?
  line 18: SGD: rate is -0.1, below 0
      recipe=Recipe(
      give rate at least 0
  line 18: Recipe has no argument epoch
      recipe=Recipe(
      did you mean epochs?
  line 19: Data has no argument sample
      data=Data("mine", sample=64),
      did you mean samples
"""


def refused(folder: Path, text: str) -> tuple[str, str]:
    path = folder / "mine.py"
    path.write_text(text)
    with pytest.raises(StoneError) as caught:
        find(str(path))
    return caught.value.message.replace(str(path), "mine.py"), caught.value.hint


def test_all_mistakes_are_said(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    message, hint = refused(tmp_path, TEN)
    assert message == "mine.py has 9 mistakes"
    said = [line for line in f"  {hint}".splitlines() if line]
    wanted = LINES.splitlines()
    assert len(said) == len(wanted)
    assert all(line.startswith(start) for line, start in zip(said, wanted, strict=True))
    assert capfd.readouterr().err.count("runs once") == 1


FLAT = """\
from tensorstone.models import *

net = Model("Mine", (1, 8, 8), [
    Conv2D(4, kernel=3),
    ReLU(),
    {layer},
])
"""


@pytest.mark.parametrize(
    ("layer", "message"),
    [
        ("Dense(3)", "mine.py:6: fc1: Dense wants a flat input but gets 4×6×6"),
        ("Conv2D(2, kernel=9)", "mine.py:6: conv2: kernel 9 is larger than its input 6×6"),
        ("Concat(ReLU(), MaxPool2D(2))", "mine.py:6: concat1: cannot concat paths of shape"),
    ],
)
def test_a_shape_is_said_at_the_layer_s_own_line(layer: str, message: str, tmp_path: Path) -> None:
    said, hint = refused(tmp_path, FLAT.format(layer=layer))
    assert said.startswith(message)
    assert hint.startswith(f"{layer},\n")


def test_what_follows_from_a_mistake_is_none(tmp_path: Path) -> None:
    text = FLAT.format(layer="Dense(3)") + "other = net\nlast = [other.name, unknown]\n"
    message, hint = refused(tmp_path, text)
    assert message == "mine.py has 2 mistakes"
    assert "line 9: unknown is not defined" in hint


def test_functions_of_the_file_are_not_called_twice(tmp_path: Path) -> None:
    text = "calls = []\ndef f():\n    calls.append(1)\n    assert len(calls) == 1\n    1 / 0\nf()\n"
    assert (
        refused(tmp_path, text)[0]
        == "mine.py:5: the file raised ZeroDivisionError: division by zero"
    )


def test_annotations_of_the_future_stay_text(tmp_path: Path) -> None:
    text = "from __future__ import annotations\ndef f(a: unknown) -> unknown: pass\n"
    assert "defines no workload" in refused(tmp_path, text)[0]
