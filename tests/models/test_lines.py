"""The line of a warning: that of the call that made the layer, or none where it is not certain."""

from pathlib import Path

import pytest

from tensorstone.models.advice import advice
from tensorstone.models.load import read

FILE = """\
import tensorstone.models as m
from tensorstone.models import *
from tensorstone.models import ReLU as Rectified

@block
def pair(width):
    return [Dense(width), Rectified()]

def head(classes):
    return Sequential(
        Dense(classes),
        m.ReLU(),
    )

layers = [
    pair(9),
    *[Dense(9), ReLU()],
] + [Add([Dense(9), ReLU()], []), head(3)]
net = Model("Net", (4,), layers)
recipe = Recipe(
    "mean-squared",
    optimiser=Adam(
        rate=0.3,
    ),
    batch=2,
    epochs=1,
    metric="mse",
)
workload = Workload("mine", "Mine", net, recipe, Data("r", samples=8))
"""


def lines(folder: Path, text: str) -> dict[str, int | None]:
    """Of each warning, by its layer."""
    path = folder / "mine.py"
    path.write_text(text, encoding="utf-8")
    found = read(str(path))
    several = advice(found.workload, found.file, found.source)
    for one in several:
        assert one.message.startswith(f"{path}:{one.line}: " if one.line else f"{path}: ")
    return {one.path: one.line for one in several}


def test_a_warning_has_the_line_of_its_layer(tmp_path: Path) -> None:
    assert lines(tmp_path, FILE) == {"relu3": 12, "": 22}


UNCERTAIN = {
    "a loop": ("net =", "layers = [Dense(9), *(ReLU() for _ in range(2))]\nnet ="),
    "what is appended": ("net =", "layers.append(ReLU())\nnet ="),
    "what is added": ("net =", "layers += [Dense(3), ReLU()]\nnet ="),
    "another of the model's name": ("net =", 'Model("Net", (4,), [Dense(3), ReLU()])\nnet ='),
    "a choice": ("[Dense(9), ReLU()],", "([Dense(9), ReLU()] if layers_wanted else []),"),
    "a function that calls itself": (
        "def head(classes):\n",
        "def head(classes):\n    if classes > 3:\n        head(classes - 1)\n",
    ),
}


@pytest.mark.parametrize("case", UNCERTAIN)
def test_no_line_is_given_that_is_not_certain(tmp_path: Path, case: str) -> None:
    old, new = UNCERTAIN[case]
    text = "layers_wanted = True\n" + FILE.replace(old, new, 1)
    found = [line for path, line in lines(tmp_path, text).items() if path]
    expected = 15 if case == "a function that calls itself" else None
    assert found == [expected], "a wrong line is worse than none"


def test_the_only_call_of_its_kind_is_certain(tmp_path: Path) -> None:
    text = FILE.replace('"mean-squared"', '"softmax-cross-entropy"').replace('"mse"', '"accuracy"')
    text = text.replace("net =", "layers += [Dense(3) for _ in '1'] + [Softmax()]\nnet =")
    assert lines(tmp_path, text) == {"softmax1": 19, "": 23}


ENDED = """\
def ended(make):
    def again(n):
        return make(n) if n else []
    return again

@ended
def stack(n):
    return [*stack(n - 1), Dense(9), ReLU()]

"""


def test_a_function_that_something_else_ends(tmp_path: Path) -> None:
    text = ENDED + FILE.replace("layers)", "stack(2))")
    assert lines(tmp_path, text) == {"relu2": None, "": 31}


def test_lines_of_a_model_made_with_keywords(tmp_path: Path) -> None:
    text = FILE.replace('"Net", (4,), layers', 'layers=layers, inputs=(4,), name="Net"')
    assert lines(tmp_path, text) == {"relu3": 12, "": 22}
