"""Emitted text is Python in which every name means one thing; else the dialect says it cannot."""

from __future__ import annotations

import ast

import pytest

from tensorstone.dialects.emit import Unsupported, emit
from tensorstone.dialects.name_clashes import first_clash, workload_names
from tensorstone.dialects.registry import dialects
from tensorstone.models import (
    SGD,
    Conv2D,
    Data,
    Dense,
    Flatten,
    Model,
    Recipe,
    ReLU,
    Workload,
    block,
)
from tensorstone.support.errors import StoneError

NAMES = [name for name, dialect in dialects().items() if dialect.framework != "null"]


def workload(*layers, name: str = "Net") -> Workload:
    return Workload(
        "tried",
        "A model",
        Model(name, (2, 8, 8), [*layers, Flatten(), Dense(3)]),
        Recipe("softmax-cross-entropy", SGD(0.1), batch=2, epochs=1, metric="accuracy"),
        Data("random", samples=8),
    )


def block_of(name: str, parameter: str):
    """A block and its parameter, called so."""
    namespace = {"block": block, "Conv2D": Conv2D, "ReLU": ReLU}
    exec(
        f"@block\ndef {name}({parameter}):\n    return [Conv2D({parameter}, 1), ReLU()]\n",
        namespace,
    )
    return namespace[name]


def said(of: Workload) -> dict[str, str]:
    """What each dialect answers: its program, or why there is none."""
    found = {}
    for name in NAMES:
        try:
            found[name] = emit(of, dialects()[name])
        except Unsupported as reason:
            assert str(reason).startswith(("the same program as", "its program", "Step:")) or (
                "means something else" in str(reason)
            )
    return found


@pytest.mark.parametrize(
    "parameter",
    ["rngs", "x", "net", "training", "model", "nn", "y", "len", "super", "DataLoader", "width"],
)
def test_a_parameter_called_so_makes_a_program_or_none(parameter: str) -> None:
    stage = block_of("stage", parameter)
    for text in said(workload(stage(2), stage(3))).values():
        compile(text, "program.py", "exec")


@pytest.mark.parametrize("name", ["DataLoader", "data", "super", "step", "print", "Dense"])
def test_a_model_called_so_makes_a_program_or_none(name: str) -> None:
    of = workload(Conv2D(2, 1), name=name)
    for text in said(of).values():
        tree = ast.parse(text)
        defined = [n.name for n in tree.body if isinstance(n, ast.ClassDef | ast.FunctionDef)]
        assert defined.count(name) <= 1


@pytest.mark.parametrize("name", ["data_loader", "data", "super", "tensor_dataset", "stage"])
def test_a_block_called_so_makes_a_program_or_none(name: str) -> None:
    stage = block_of(name, "width")
    for text in said(workload(stage(2), stage(3))).values():
        compile(text, "program.py", "exec")


def test_a_name_that_is_needed_is_named() -> None:
    with pytest.raises(Unsupported, match="DataLoader: the name means something else"):
        emit(workload(Conv2D(2, 1), name="DataLoader"), dialects()["pytorch/eager"])


def test_as_many_activations_as_anyone_likes() -> None:
    """250 in a row: none nests them deeper than Python reads."""
    found = said(workload(Conv2D(2, 1), *[ReLU() for _ in range(250)]))
    assert len(found) > 30
    for text in found.values():
        compile(text, "program.py", "exec")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("import nn\ndef f(nn):\n    return nn\n", "nn"),
        ("from a import Net\nclass Net: pass\n", "Net"),
        ("def f(a, fc1):\n    fc1 = a\n", "fc1"),
        ("def len(x): pass\n", "len"),
        ("def f(x, x): pass\n", "x"),
        ("def f(y):\n    return y\n\nif True:\n    y = f(1)\n", None),
    ],
)
def test_what_hides_what(text: str, name: str | None) -> None:
    assert first_clash(ast.parse(text), {"nn", "Net", "fc1", "len", "x", "y"}) == name


def test_a_models_own_names_are_known() -> None:
    stage = block_of("stage", "width")
    names = workload_names(workload(stage(2, name="first"), name="Net").model)
    assert {"Net", "stage", "Stage", "width", "first", "conv1", "fc1"} <= names


def test_no_program_of_the_catalogue_hides_a_name() -> None:
    from tensorstone.models.load import find, names

    for workload_name in names():
        for dialect in NAMES:
            try:
                emit(find(workload_name), dialects()[dialect])
            except (Unsupported, StoneError) as reason:
                assert "means something else" not in str(reason)
                assert "no Python" not in str(reason)
