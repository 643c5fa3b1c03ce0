"""What TensorFlow's room says, and that it says "same" only where TensorFlow means it."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorstone.dialects.emit import Unsupported, emit, supports
from tensorstone.dialects.registry import dialects
from tensorstone.dialects.shared.keras.padding import keeps_size
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
    RMSprop,
    Sigmoid,
    Softmax,
    Workload,
    block,
)

SHORT = ("keras", "function", "eager", "xla")


def program(layers, dialect="keras", inputs=(3, 9, 8), loss="mean-squared", optimiser=None):
    return emit(workload(layers, inputs, loss, optimiser), dialects()[f"tensorflow/{dialect}"])


def workload(layers, inputs=(3, 9, 8), loss="mean-squared", optimiser=None):
    metric = "accuracy" if "entropy" in loss else "mse"
    recipe = Recipe(loss, optimiser or SGD(0.1), 4, 1, metric)
    return Workload("small", "Small", Model("Small", inputs, layers), recipe, Data("some", 40))


def function(source, name):
    """The source of one function of a program."""
    found = [n for n in ast.parse(source).body if getattr(n, "name", None) == name]
    return ast.unparse(found[0])


sizes = st.integers(1, 6)
sides = st.tuples(st.integers(0, 5), st.integers(0, 5))


@given(st.tuples(sizes, sizes), st.tuples(sides, sides), sizes, st.tuples(sizes, sizes))
def test_same_is_said_only_where_tensorflow_pads_exactly_so(kernel, padding, stride, extra):
    layer = Conv2D(1, kernel, stride, padding)
    if keeps_size(layer):
        for k, asked, more in zip(kernel, padding, extra, strict=True):
            n = k + more
            out = -(-n // stride)
            total = max((out - 1) * stride + k - n, 0)
            assert asked == (total // 2, total - total // 2)


@pytest.mark.parametrize(
    "kernel, padding", [(3, 1), (5, 2), (2, ((0, 1), (0, 1))), ((1, 3), (0, 1))]
)
def test_same_is_said_where_it_can_be(kernel, padding):
    source = program([Conv2D(2, kernel, padding=padding), Flatten(), Dense(1)])
    assert 'padding="same"' in source
    assert "ZeroPadding2D" not in source


def test_a_chain_is_a_sequential_with_activations_given_to_the_layer_before():
    network = function(program([Conv2D(6, 5), ReLU(), Flatten(), Dense(1), Sigmoid()]), "network")
    assert "keras.Sequential" in network
    assert "layers.Conv2D(6, 5, activation='relu')" in network
    assert "layers.Dense(1, activation='sigmoid')" in network
    assert "Activation" not in network


def test_an_activation_after_another_layer_stands_alone():
    network = function(program([Conv2D(6, 5), BatchNorm(), ReLU(), Flatten(), Dense(1)]), "network")
    assert "layers.Conv2D(6, 5)," in network
    assert "layers.Activation('relu')" in network


def test_padding_a_maximum_never_lets_the_padding_win():
    network = function(program([MaxPool2D(3, 2, padding=1), Flatten(), Dense(1)]), "network")
    assert "constant_values=float('-inf')" in network
    assert "layers.MaxPooling2D(3, strides=2)" in network


def test_counted_padding_is_zeros_of_its_own_even_where_same_has_the_right_size():
    counted = AvgPool2D(3, 1, padding=1, count_padding=True)
    assert "layers.ZeroPadding2D(1)" in program([counted, Flatten(), Dense(1)])
    assert 'padding="same"' in program([AvgPool2D(3, 1, padding=1), Flatten(), Dense(1)])


@pytest.mark.parametrize("dialect", SHORT)
def test_a_block_is_one_function(dialect):
    @block
    def pair(width):
        return Add([Conv2D(width, 3, padding=1), BatchNorm()], [])

    source = program([pair(3), pair(3), Flatten(), Dense(1)], dialect)
    assert source.count("def pair(x, width):") == 1
    assert source.count("pair(x, 3)") + source.count("pair(inputs, 3)") == 2


def test_blocks_whose_inner_blocks_read_differently_are_different_functions():
    widths = iter((2, 3))

    @block
    def inner():
        return Conv2D(next(widths), 1)

    @block
    def outer():
        return [inner(), ReLU()]

    source = program([outer(), outer(), Flatten(), Dense(1)])
    assert "outer2(x)" in source
    assert "inner2(x)" in function(source, "outer2")
    assert "inner(x)" in function(source, "outer")


def test_a_comment_is_made_once():
    source = program([Conv2D(2, 3), BatchNorm(), ReLU(), BatchNorm(), Flatten(), Dense(1)])
    assert source.count("# Keras's own momentum") == 1


@pytest.mark.parametrize("dialect", SHORT)
@pytest.mark.parametrize(
    "last, loss", [(Softmax(), "softmax-cross-entropy"), (Sigmoid(), "binary-cross-entropy")]
)
def test_keras_must_not_look_through_a_last_activation(dialect, last, loss):
    assert "tf.identity(output)" in program([Dense(3), last], dialect, (4,), loss)
    assert "tf.identity" not in program([Dense(3)], dialect, (4,), loss)


def test_only_what_is_saved_with_the_net_is_registered():
    layers, optimiser = [Dense(3)], RMSprop(decay=0.1)
    for dialect, registered in (("keras", 2), ("function", 0)):
        source = program(layers, dialect, (4,), "half-squared", optimiser)
        assert source.count("register_keras_serializable") == registered


def test_a_flattened_map_at_the_end_is_put_in_canonical_order():
    assert "layers.Permute((3, 1, 2))" in program([Conv2D(2, 3), Flatten()])
    assert "Permute" not in program([Conv2D(2, 3), Flatten(), Dense(2)])
    assert "Permute" not in program([Conv2D(1, 3), Flatten()])


def test_a_flattened_map_both_read_and_put_out_is_refused():
    mixed = workload([Conv2D(2, 3), Flatten(), Concat([Dense(2)], [])])
    with pytest.raises(Unsupported, match="fc1: reads a flattened map"):
        emit(mixed, dialects()["tensorflow/keras"])
    assert supports(mixed, dialects()["tensorflow/xla"])
