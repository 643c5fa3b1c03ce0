"""Whatever the model, every room either says it or says why it cannot."""

from __future__ import annotations

import ast

import pytest
from emitted import DIALECTS, SECTIONS, lint
from hypothesis import given, settings
from strategies import workloads

from tensorstone.dialects.emit import Unsupported, emit, emit_part
from tensorstone.dialects.registry import dialects
from tensorstone.models import (
    SGD,
    Concat,
    Conv2D,
    Data,
    Dense,
    Flatten,
    MaxPool2D,
    Model,
    Recipe,
    ReLU,
    Workload,
    block,
)
from tensorstone.models.structure import Path


@pytest.mark.parametrize("dialect", [dialect.name for dialect in DIALECTS])
@settings(max_examples=25)
@given(workload=workloads())
def test_a_random_model_is_said_or_refused(dialect, workload):
    try:
        text = emit(workload, dialects()[dialect])
    except Unsupported as reason:
        assert ": " in str(reason), "names the layer, the loss or the optimiser"
        return
    tree = ast.parse(text)
    functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert [name for name in functions if name in SECTIONS] == SECTIONS
    assert lint(text=text) == ""


def workload(*layers: Path) -> Workload:
    return Workload(
        "tried",
        "A model",
        Model("Net", (2, 12, 12), [*layers, Flatten(), Dense(3)]),
        Recipe("softmax-cross-entropy", SGD(0.1), batch=2, epochs=1, metric="accuracy"),
        Data("random", samples=8),
    )


@block
def shrink(size: int) -> list[Path]:
    """Its parameter is the size of a pool, which most rooms say in the forward pass."""
    return [MaxPool2D(size), ReLU()]


@block
def columns(width: int, size: int) -> Path:
    return Concat(
        [Conv2D(width, size), MaxPool2D(size)], [Conv2D(2 * width, size), MaxPool2D(size)]
    )


@block
def twice(width: int) -> list[Path]:
    """Blocks inside a block."""
    return [columns(width, 2), shrink(2), Conv2D(width, 1)]


BLOCKS = {
    "of functions alone": [shrink(2), shrink(3)],
    "with a pool's size as a parameter": [columns(2, 2), columns(3, 2)],
    "within a block": [Conv2D(4, 1), twice(3)],
}


@pytest.mark.parametrize("dialect", [dialect.name for dialect in DIALECTS])
@pytest.mark.parametrize("kind", BLOCKS)
def test_blocks_use_no_name_they_do_not_know(kind, dialect):
    text = emit_part(workload(*BLOCKS[kind]), dialects()[dialect])

    assert lint(text=text) == ""
