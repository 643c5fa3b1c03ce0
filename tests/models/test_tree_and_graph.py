"""The placed tree and the flat graph say the same, whatever the nesting."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tensorstone.models import (
    Add,
    BatchNorm,
    Concat,
    Conv2D,
    Dense,
    Dropout,
    Flatten,
    MaxPool2D,
    Model,
    ReLU,
    Sequential,
    block,
)
from tensorstone.models.graph import Join
from tensorstone.models.named import source
from tensorstone.models.placed import Chain, Leaf, PlacedFork, PlacedUse, leaves, uses
from tensorstone.support.errors import StoneError


@block
def inner(width: int) -> list[Any]:
    return [Conv2D(width, 3, padding=1), ReLU()]


@block
def outer(width: int, reduced: int) -> list[Any]:
    deep = [inner(reduced), Conv2D(width, 1), Dropout(0.5)]
    return [Concat(deep, [inner(2 * reduced)]), BatchNorm(), inner(width + reduced)]


widths = st.integers(1, 4)
plain_layers = st.one_of(
    st.builds(Conv2D, widths, st.just(1)),
    st.just(ReLU()),
    st.just(BatchNorm()),
    st.builds(Dropout, st.sampled_from([0.0, 0.25, 0.5])),
    st.builds(inner, widths),
    st.builds(outer, widths, widths),
)
paths = st.recursive(
    st.lists(plain_layers, max_size=3),
    lambda deeper: st.lists(
        st.one_of(
            plain_layers,
            st.lists(deeper, min_size=1, max_size=3).map(lambda p: Concat(*p)),
            st.builds(lambda p, n: Add(*[p] * n), deeper, st.integers(1, 3)),
            deeper.map(lambda p: Sequential(p)),
        ),
        min_size=1,
        max_size=3,
    ),
    max_leaves=6,
)
models = paths.filter(bool).map(lambda p: Model("Net", (2, 4, 4), [*p, Conv2D(1, 1, name="last")]))


def forks(chain: Chain) -> list[PlacedFork]:
    found: list[PlacedFork] = []
    for part in chain.parts:
        if isinstance(part, PlacedFork):
            found += [part, *(f for c in part.chains for f in forks(c))]
        elif isinstance(part, PlacedUse):
            found += forks(part.body)
    return found


@given(models)
def test_the_graph_has_the_leaves_of_the_tree(model: Model) -> None:
    flat = [node for node in model.graph.nodes if not isinstance(node.layer, Join)]
    tree = list(leaves(model.chain))
    assert [node.name for node in flat] == [leaf.path for leaf in tree]
    assert [node.layer for node in flat] == [leaf.layer for leaf in tree]
    assert [node.shape for node in flat] == [leaf.outputs for leaf in tree]
    joins = [node.name for node in model.graph.nodes if isinstance(node.layer, Join)]
    assert sorted(joins) == sorted(fork.path for fork in forks(model.chain))


@given(models)
def test_names_are_unique_and_inputs_come_first(model: Model) -> None:
    nodes = model.graph.nodes
    assert len({node.name for node in nodes}) == len(nodes)
    assert len({weight.name for weight in model.weights}) == len(model.weights)
    for position, node in enumerate(nodes):
        assert all(-1 <= i < position for i in node.inputs)
        shapes = [model.inputs if i < 0 else nodes[i].shape for i in node.inputs]
        if isinstance(node.layer, Join) and node.layer.how == "concat":
            assert node.shape[0] == sum(s[0] for s in shapes)
        elif isinstance(node.layer, Join):
            assert set(shapes) == {node.shape}
    read = {i for node in nodes for i in node.inputs}
    assert read >= set(range(len(nodes) - 1))  # nothing is computed for nobody


@given(models)
def test_graphs_hold_plain_numbers(model: Model) -> None:
    for node in model.graph.nodes:
        assert {type(n) for n in node.shape} == {int}
    for weight in model.weights:
        assert {type(n) for n in weight.shape} == {int}
    assert {type(n) for n in model.outputs} == {int}


@given(models)
def test_inside_a_block_numbers_are_said_with_its_parameters(model: Model) -> None:
    """The text of every number, read with the block's arguments, is the number."""

    def check(chain: Chain, known: dict[str, int]) -> None:
        for part in chain.parts:
            assert eval(source(part.inputs[0]), {}, known) == part.inputs[0]
            assert eval(source(part.outputs[0]), {}, known) == part.outputs[0]
            if isinstance(part, PlacedFork):
                for path in part.chains:
                    check(path, known)
            if isinstance(part, PlacedUse):
                for _, value in part.arguments:
                    assert eval(source(value), {}, known) == value
                plain = {name: int(value) for name, value in part.arguments}
                check(part.body, {**plain, "in_channels": int(part.inputs[0])})

    check(model.chain, {})


def test_the_bodies_of_a_block_read_alike_for_all_arguments() -> None:
    """Nothing of one use's numbers is left in the text, nested blocks included."""

    def text(chain: Chain) -> list[str]:
        lines = []
        for part in chain.parts:
            match part:
                case Leaf():
                    width = getattr(part.layer, "channels", 0)
                    lines.append(f"{part.name} {source(part.inputs[0])} {source(width)}")
                case PlacedFork():
                    lines += [line for path in part.chains for line in text(path)]
                case PlacedUse():
                    given = " ".join(source(v) for _, v in part.arguments)
                    lines.append(f"{part.name} {source(part.inputs[0])} {given}")
        return lines

    model = Model("Net", (2, 4, 4), [outer(8, 3), outer(16, 5)])
    first, second = (use for use in uses(model.chain) if use.block == "outer")
    assert text(first.body) == text(second.body)
    assert "bn1 width + 2 * reduced 0" in text(first.body)
    assert (first.outputs, second.outputs) == ((11, 4, 4), (21, 4, 4))


@given(models)
def test_without_dropout_only_the_rates_change(model: Model) -> None:
    still = model.without_dropout()
    assert set(still.dropout_rates) <= {0.0}
    assert len(still.dropout_rates) == len(model.dropout_rates)
    assert still.weights == model.weights
    for ours, theirs in zip(still.graph.nodes, model.graph.nodes, strict=True):
        assert (ours.name, ours.inputs, ours.shape) == (theirs.name, theirs.inputs, theirs.shape)
        assert ours.layer == theirs.layer or isinstance(ours.layer, Dropout)


def flattened(*parts: Any, inputs: tuple[int, ...] = (3, 4, 5)) -> Any:
    model = Model("Net", inputs, [*parts, Dense(2, name="head")])
    return list(leaves(model.chain))[-1].flattened


@settings(max_examples=30)
@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 4))
def test_a_dense_layer_knows_the_map_it_reads(c: int, h: int, w: int) -> None:
    known = flattened(Flatten(), ReLU(), Dropout(0.1), inputs=(c, h, w))
    assert known == (((c, h, w),) if c > 1 and h * w > 1 else None)


def test_stretches_of_joined_vectors_are_known() -> None:
    assert flattened(Flatten(), Dense(7)) is None
    assert flattened(Concat([Flatten()], [MaxPool2D(2), Flatten()])) == ((3, 4, 5), (3, 2, 2))
    assert flattened(Concat([Flatten()], [Flatten(), Dense(6)])) == ((3, 4, 5), (6, 1, 1))
    assert flattened(Flatten(), Add([], [])) == ((3, 4, 5),)
    assert flattened(Flatten(), Concat([], [Dense(2)])) == ((3, 4, 5), (2, 1, 1))
    normalised = Model("Net", (3, 4, 5), [Flatten(), BatchNorm(), Dense(2)])
    assert [leaf.flattened for leaf in leaves(normalised.chain)] == [None, *[((3, 4, 5),)] * 2]


def test_adding_maps_flattened_differently_is_refused() -> None:
    with pytest.raises(StoneError, match=r"^add1: adds a flattened map to a vector"):
        Model("Net", (3, 4, 5), [Add([Flatten()], [Flatten(), Dense(60)])])


def test_a_fork_may_stand_first_and_last() -> None:
    model = Model("Net", (2, 4, 4), [Add([], [], [Conv2D(2, 1)]), Concat([], [ReLU()])])
    first, last = (n for n in model.graph.nodes if isinstance(n.layer, Join))
    assert first.inputs == (-1, -1, 0)
    assert last.name == "concat1"
    assert model.outputs == (4, 4, 4)
