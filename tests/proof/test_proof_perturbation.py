"""Moving values off jumps of the gradient: every layer finds its rows, nothing else moves."""

from __future__ import annotations

import numpy as np
import pytest

from tensorstone.models import (
    SGD,
    Add,
    AvgPool2D,
    BatchNorm,
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
)
from tensorstone.oracle import activations
from tensorstone.proof.probing import perturbation, probe
from tensorstone.proof.probing.nondifferentiable import MARGIN, near_jump
from tensorstone.proof.probing.perturbation import SIZE, perturbations, perturbed
from tensorstone.proof.variant import truth


def _workload(name: str, layers: list, inputs=(3, 32, 32), rate: float = 0.01) -> Workload:
    model = Model("Net", inputs, layers)
    recipe = Recipe("softmax-cross-entropy", SGD(rate=rate), 4, 1, "accuracy")
    return Workload(name, name, model, recipe, Data("random", 64))


# Three updates of four images have half a million values near jumps: no seed is clear of all.
WIDE = _workload(
    "wide",
    [
        Conv2D(32, kernel=3, padding=1),
        ReLU(),
        MaxPool2D(3, stride=2),
        Concat(
            [Conv2D(8, kernel=1), BatchNorm(), ReLU()],
            [MaxPool2D(3, stride=1, padding=1), Conv2D(8, kernel=3, padding=1), ReLU()],
        ),
        MaxPool2D(2),
        Flatten(),
        Dense(64),
        ReLU(),
        Dense(10),
    ],
)


def _near_jumps(case, weights, x) -> set[tuple[int, int]]:
    """What is near a jump in the first batch, by a forward pass of its own."""
    x = x[: case.batch]
    outputs = activations(case.graph, weights, x, training=True)
    return {
        (place, channel)
        for place, node in enumerate(case.graph.nodes)
        for channel in near_jump(node, x if node.inputs[0] < 0 else outputs[node.inputs[0]])
    }


def test_a_model_too_large_for_luck_is_moved_off_its_jumps():
    case = truth(WIDE, probe.BATCH).case
    drawn = probe._run(WIDE, 0, 3 * probe.BATCH + 1, probe.BATCH)
    assert _near_jumps(case, drawn.weights, drawn.x)
    made, left = perturbations(case, drawn.weights, drawn.x, drawn.y)
    assert made
    assert left == 0
    weights = perturbed(case.graph, drawn.weights, made)
    assert not _near_jumps(case, weights, drawn.x)
    for name, array in drawn.weights.items():
        rows = {row for place, row, _ in made if f"{case.graph.nodes[place].name}.weight" == name}
        still = [row for row in range(len(array)) if row not in rows]
        np.testing.assert_array_equal(weights[name][still], array[still])
        np.testing.assert_allclose(weights[name], array, rtol=len(made) * 6 * SIZE)


@pytest.mark.parametrize(
    ("layers", "jump", "channel", "row"),
    [
        pytest.param([Conv2D(4, kernel=3), ReLU()], "relu1", 2, ("conv1", 2), id="direct"),
        pytest.param(
            [Conv2D(4, kernel=3), BatchNorm(), ReLU()], "relu1", 3, ("conv1", 3), id="batch-norm"
        ),
        pytest.param(
            [Conv2D(4, kernel=3), AvgPool2D(2), Flatten(), ReLU()],
            "relu1",
            15 * 15 + 1,
            ("conv1", 1),
            id="flatten",
        ),
        pytest.param(
            [Concat([Conv2D(4, kernel=3)], [Conv2D(5, kernel=3)]), MaxPool2D(2)],
            "pool1",
            6,
            ("conv2", 2),
            id="concat",
        ),
        pytest.param(
            [Add([Conv2D(4, kernel=3)], [Conv2D(4, kernel=3)]), ReLU()],
            "relu1",
            1,
            ("conv1", 1),
            id="add",
        ),
        pytest.param([ReLU(), Conv2D(4, kernel=3)], "relu1", 0, None, id="the-input-has-no-row"),
    ],
)
def test_the_row_that_makes_a_channel(layers, jump, channel, row):
    graph = Model("Net", (3, 32, 32), layers).graph
    names = [node.name for node in graph.nodes]
    found = perturbation._row(graph, names.index(jump), channel)
    assert (found and (names[found[0]], found[1])) == row


def test_ties_are_near_values_and_not_equal_ones():
    model = Model("Net", (2, 2, 2), [MaxPool2D(2)])
    (node,) = model.graph.nodes
    values = np.ones((1, 2, 2, 2))
    assert near_jump(node, values) == []
    values[0, 1, 0, 0] += MARGIN / 2
    assert near_jump(node, values) == [1]
    values[0, 1, 0, 0] += MARGIN
    assert near_jump(node, values) == []


def test_what_cannot_be_moved_is_counted():
    """A ReLU on the inputs themselves: no weight makes them."""
    workload = _workload("bare", [ReLU(), Flatten(), Dense(3)], inputs=(1, 2, 2))
    case = truth(workload, 4).case
    drawn = probe._run(workload, 0, 9, probe.BATCH)
    x = drawn.x.copy()
    x[0, 0, 0, 0] = MARGIN / 8
    assert perturbations(case, drawn.weights, x, drawn.y) == ([], 1)
