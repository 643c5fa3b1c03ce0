"""What MXNet's room says: activations and flattening where Gluon puts them, one word a dialect."""

import difflib

import pytest

from tensorstone.dialects.emit import emit, supports
from tensorstone.dialects.registry import dialects
from tensorstone.models import (
    SGD,
    Adam,
    Add,
    AvgPool2D,
    BatchNorm,
    Concat,
    Conv2D,
    Data,
    Dense,
    Dropout,
    Flatten,
    GlobalAvgPool2D,
    MaxPool2D,
    Model,
    Recipe,
    ReLU,
    RMSprop,
    Softmax,
    Softplus,
    Tanh,
    Workload,
    block,
)

GLUON = ("gluon", "gluon-hybrid", "gluon-hybridized", "gluon-static")


def workload(layers, inputs=(3, 9, 8), loss="mean-squared", optimiser=None):
    metric = "accuracy" if "entropy" in loss else "mse"
    recipe = Recipe(loss, optimiser or SGD(0.1), 4, 1, metric)
    return Workload("small", "Small", Model("Small", inputs, layers), recipe, Data("some", 40))


def program(layers, dialect="gluon-hybrid", **given):
    return emit(workload(layers, **given), dialects()[f"mxnet/{dialect}"])


def changed(one, other):
    """The lines in which two programs differ, docstrings aside."""
    lines = difflib.ndiff(one.splitlines()[1:], other.splitlines()[1:])
    return [line for line in lines if line[0] in "+-"]


def test_an_activation_belongs_to_the_layer_before_it_and_only_one_does():
    source = program([Dense(5), Softplus(), Tanh(), Dense(2)], inputs=(4,))
    assert 'nn.Dense(5, activation="softrelu"),' in source
    assert 'nn.Activation("tanh"),' in source


def test_flattening_is_left_to_dense_and_said_once():
    source = program([Conv2D(2, 3), Flatten(), Dense(5), Dense(2)])
    assert "Flatten" not in source
    assert source.count("# Dense flattens what it reads.") == 1


def test_flattening_before_anything_else_is_said():
    assert "nn.Flatten(),\n        nn.Dropout(0.5)" in program(
        [Conv2D(2, 3), Flatten(), Dropout(), Dense(2)]
    )


@pytest.mark.parametrize("dialect", ["gluon", "module"])
def test_global_pooling_leaves_a_map_that_must_become_a_vector(dialect):
    explicit = "nn.Flatten()" if dialect == "gluon" else "mx.sym.flatten(x)"
    assert explicit in program([Conv2D(2, 3), GlobalAvgPool2D()], dialect)
    assert explicit not in program([GlobalAvgPool2D(), Dense(2)], dialect)


def test_a_plain_chain_is_a_sequential_and_anything_else_a_class():
    assert "net = nn.Sequential()" in program([Conv2D(2, 3), ReLU(), Flatten(), Dense(2)], "gluon")
    for layers in ([Add([Conv2D(3, 1)], []), ReLU()], [Conv2D(2, 3, padding=((0, 1), (0, 1)))]):
        assert "class Small(nn.Block):" in program(layers, "gluon")


def test_a_block_that_flattens_is_defined_once():
    @block
    def head(width):
        return Concat([GlobalAvgPool2D(), Dense(width)], [Flatten(), Dense(width)])

    joined = Concat(head(2), head(3))
    for dialect, definition in (("gluon-hybrid", "class Head"), ("module", "def head")):
        assert program([joined], dialect).count(definition) == 1


def test_a_symbol_is_named_by_its_path():
    @block
    def conv(width):
        return [Conv2D(width, 1), BatchNorm(), ReLU()]

    source = program([conv(2, name="first"), conv(2), Softmax()], "module")
    assert 'name=f"{name}_conv1"' in source
    assert 'x = conv(x, 2, name="first")' in source
    assert "fix_gamma=False, eps=1e-5" in source
    assert "mx.sym.softmax(x, axis=1)" in source


def test_padding_that_differs_by_side():
    sides = ((1, 0), (0, 1))
    assert "constant_value=-np.inf" in program([MaxPool2D(2, padding=sides)])
    assert "F.pad(x" in program([AvgPool2D(2, padding=sides, count_padding=True)])
    assert "count_include_pad=False" in program([AvgPool2D(2, padding=1)])
    reason = supports(workload([AvgPool2D(2, padding=sides)]), dialects()["mxnet/module"])
    assert reason.startswith("pool1: Pooling can leave padding out of the mean only when")


def test_dialects_differ_only_where_they_do():
    layers = [Conv2D(2, 3), ReLU(), Add([Conv2D(2, 1)], []), Tanh(), Flatten(), Dense(2)]
    block, hybrid, hybridized, static = (program(layers, dialect) for dialect in GLUON)
    assert changed(hybrid, hybridized) == ["+     net.hybridize()"]
    assert changed(block, hybrid) == [
        "- class Small(nn.Block):",
        "+ class Small(nn.HybridBlock):",
        "-     def forward(self, x):",
        "+     def hybrid_forward(self, F, x):",
        '-         x = mx.nd.Activation(y + x, act_type="tanh")',
        '+         x = F.Activation(y + x, act_type="tanh")',
    ]
    assert "DataLoader" in hybridized
    assert "NDArrayIter" in static


def test_optimisers_say_only_what_mxnet_would_not_do_by_itself():
    assert '"adam", {"learning_rate": 1e-3}' in program([Dense(1)], inputs=(4,), optimiser=Adam())
    plain = program([Dense(1)], inputs=(4,), optimiser=RMSprop(1e-3))
    assert '"plainrmsprop", {"learning_rate": 1e-3}' in plain
    assert "InverseDecay" not in plain
    decaying = program([Dense(1)], "module", inputs=(4,), optimiser=RMSprop(1e-3, decay=1e-6))
    assert '{"lr_scheduler": InverseDecay(1e-3), "rescale_grad": 1}' in decaying


def test_module_gives_probabilities_where_its_room_says_so():
    assert dialects()["mxnet/module"].outputs == "probabilities"
    binary = program([Dense(1)], "module", inputs=(4,), loss="binary-cross-entropy")
    assert "mx.sym.BlockGrad(mx.sym.sigmoid(x))" in binary
    assert "(outputs > 0.5)" in binary
    classes = program([Dense(3)], "module", inputs=(4,), loss="softmax-cross-entropy")
    assert 'mx.sym.SoftmaxOutput(x, normalization="batch", name="softmax")' in classes
