"""Every mistake names its layer (or block, recipe, workload) and a way out."""

import math
from collections.abc import Callable
from typing import Any

import pytest

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
    Init,
    LeakyReLU,
    MaxPool2D,
    Model,
    Momentum,
    Recipe,
    ReLU,
    RMSprop,
    Workload,
    block,
)
from tensorstone.support.errors import StoneError
from tensorstone.support.naming import did_you_mean

CE = "softmax-cross-entropy"


def refused(make: Callable[[], object]) -> tuple[str, str]:
    with pytest.raises(StoneError) as caught:
        make()
    assert caught.value.hint, "a mistake without a way out"
    return caught.value.message, caught.value.hint


def in_map(*layers: Any) -> Callable[[], Model]:
    return lambda: Model("Net", (4, 6, 6), list(layers))


@pytest.mark.parametrize("junk", [True, 3.0, "3", None, -1, 0, math.nan, [], (), (3, 3, 3), {}])
@pytest.mark.parametrize(
    "make",
    [
        lambda n: Dense(n, name="x1"),
        lambda n: Conv2D(n, 3, name="x1"),
        lambda n: Conv2D(4, n, name="x1"),
        lambda n: Conv2D(4, (3, n), name="x1"),
        lambda n: Conv2D(4, 3, stride=n, name="x1"),
        lambda n: Conv2D(4, 3, groups=n, name="x1"),
        lambda n: MaxPool2D(n, name="x1"),
        lambda n: AvgPool2D(2, stride=(n, 1), name="x1"),
    ],
)
def test_sizes_are_positive_whole_numbers(make: Callable[[Any], object], junk: Any) -> None:
    message, _ = refused(lambda: make(junk))
    assert message.startswith("x1: ")


@pytest.mark.parametrize("junk", [True, 1.0, "1", None, -1, (1,), (1, (1, 2, 3)), ((1, 1), -1)])
@pytest.mark.parametrize("kind", [Conv2D, MaxPool2D])
def test_padding_is_whole_numbers_for_sides(kind: Any, junk: Any) -> None:
    arguments = {"channels": 3} if kind is Conv2D else {}
    message, _ = refused(lambda: kind(kernel=3, padding=junk, name="x1", **arguments))
    assert message.startswith("x1: padding is ")


def test_padding_in_words_is_explained() -> None:
    message, hint = refused(lambda: Conv2D(3, 3, padding="same"))
    assert message.startswith("Conv2D: padding is 'same'")
    assert "padding=1" in hint


@pytest.mark.parametrize("junk", [True, "0.1", None, -0.1, math.nan, math.inf, 1, 1.5])
def test_shares_are_numbers_from_zero_to_below_one(junk: Any) -> None:
    assert refused(lambda: Dropout(junk, name="x1"))[0].startswith("x1: rate is ")
    assert refused(lambda: BatchNorm(momentum=junk))[0].startswith("BatchNorm: momentum is ")
    assert refused(lambda: Momentum(0.1, junk))[0].startswith("Momentum: momentum is ")
    assert refused(lambda: Adam(0.1, junk))[0].startswith("Adam: beta1 is ")
    assert refused(lambda: Adam(0.1, 0.9, junk))[0].startswith("Adam: beta2 is ")
    assert refused(lambda: RMSprop(0.1, junk))[0].startswith("RMSprop: rho is ")


@pytest.mark.parametrize("junk", [True, "0.1", None, -0.1, math.nan, math.inf, 0])
def test_rates_and_epsilons_are_above_zero(junk: Any) -> None:
    assert refused(lambda: SGD(junk))[0].startswith("SGD: rate is ")
    assert refused(lambda: Momentum(junk))[0].startswith("Momentum: rate is ")
    assert refused(lambda: Adam(junk))[0].startswith("Adam: rate is ")
    assert refused(lambda: Adam(epsilon=junk))[0].startswith("Adam: epsilon is ")
    assert refused(lambda: RMSprop(epsilon=junk))[0].startswith("RMSprop: epsilon is ")
    assert refused(lambda: BatchNorm(epsilon=junk))[0].startswith("BatchNorm: epsilon is ")


def test_slopes_decays_and_switches() -> None:
    assert refused(lambda: LeakyReLU(-1))[0] == "LeakyReLU: slope is -1, below 0"
    assert refused(lambda: RMSprop(decay=-1))[0].startswith("RMSprop: decay is ")
    flag = "neither True nor False"
    assert refused(lambda: Dense(3, bias=1))[0] == f"Dense: bias is 1, {flag}"
    assert refused(lambda: Conv2D(3, 3, bias="no"))[0] == f"Conv2D: bias is 'no', {flag}"
    pooling = refused(lambda: AvgPool2D(2, count_padding=0))[0]
    assert pooling == f"AvgPool2D: count_padding is 0, {flag}"
    assert refused(lambda: Momentum(0.1, nesterov=1))[0] == f"Momentum: nesterov is 1, {flag}"


SHAPES = {
    "fc1: Dense wants a flat input but gets 4×6×6": in_map(Dense(3)),
    "conv1: Conv2D wants channels × height × width but gets 144": in_map(Flatten(), Conv2D(3, 3)),
    "late: MaxPool2D wants channels": in_map(Flatten(), MaxPool2D(2, name="late")),
    "conv2: kernel 5 is larger than its input 4×4": in_map(Conv2D(2, 3), Conv2D(2, 5)),
    "conv1: kernel 9 is larger than its input 6×6 (padded to 8)": in_map(Conv2D(2, 9, padding=1)),
    "conv1: 4 input channels do not split into 3 groups": in_map(Conv2D(3, 1, groups=3)),
    "conv1: 3 output channels do not split into 2 groups": in_map(Conv2D(3, 1, groups=2)),
    "pool1: padding 2 leaves windows with nothing": in_map(MaxPool2D(2, padding=2)),
    "add1: cannot add paths of shape 4×6×6 and 2×6×6": in_map(Add([], [Conv2D(2, 1)])),
    "sum: cannot add paths of shape 4×6×6 and 4×6×6 and 5×6×6": in_map(
        Add([], [ReLU()], [Conv2D(5, 1)], name="sum")
    ),
    "concat1: cannot concat paths of shape 4×6×6 and 4×3×3": in_map(Concat([], [MaxPool2D(2)])),
    "add1: there is no path to join": in_map(Add()),
    "two layers are called a": in_map(ReLU(name="a"), ReLU(name="a")),
    "two layers are called relu1": in_map(ReLU(), ReLU(name="relu1")),
    "Net has no layers": in_map(),
    "ReLU is a class, and a layer is wanted here": in_map(ReLU),
    "3 is no layer, and a layer is wanted here": in_map(3),
    "None is no layer, and a layer is wanted here": lambda: Add([], None),
}


@pytest.mark.parametrize("message", SHAPES)
def test_what_does_not_fit_names_the_layer(message: str) -> None:
    assert refused(SHAPES[message])[0].startswith(message)


@pytest.mark.parametrize("name", ["class", "None", "forward", "a b", "1a", "é", "_a", "a.b", 5])
def test_names_an_emitted_program_could_not_use(name: Any) -> None:
    assert "cannot be a layer's name" in refused(in_map(ReLU(name=name)))[0]
    assert "cannot be a model's name" in refused(lambda: Model(name, (3,), [Dense(2)]))[0]


def test_counted_names_make_room_for_given_ones() -> None:
    model = Model("Net", (3,), [Dense(2, name="fc2"), Dense(2), Dense(2)])
    assert [leaf.name for leaf in model.weighted] == ["fc2", "fc3", "fc4"]


@pytest.mark.parametrize(
    "inputs", [784, "784", None, (), (0, 2), (1, 2, 3, 4), (0,), (True,), (2.0,), (-1, 3, 3)]
)
def test_input_shapes(inputs: Any) -> None:
    assert refused(lambda: Model("Net", inputs, [ReLU()]))[0].startswith("Net: ")
    assert "(784,)" in refused(lambda: Model("Net", 784, [ReLU()]))[1]


@block
def stage(width: int, depth: int = 2) -> list[Any]:
    return [Conv2D(width, 1) for _ in range(depth)]


@pytest.mark.parametrize("junk", [True, 2.7, "64", None, (2,), -1])
def test_blocks_take_whole_numbers(junk: Any) -> None:
    assert refused(lambda: stage(junk))[0].startswith("block stage: width is ")
    assert refused(lambda: stage(junk, name="s1"))[0].startswith("s1: width is ")


def test_blocks_say_what_they_take() -> None:
    message, hint = refused(lambda: stage(widht=3))
    assert message.startswith("block stage: ")
    assert "it takes width, depth" in hint
    assert refused(lambda: stage())[0].startswith("block stage: missing")


def test_a_layer_in_a_block_is_named_by_its_path() -> None:
    message, _ = refused(lambda: Model("Net", (3,), [stage(4, name="s1")]))
    assert message.startswith("s1.conv1: Conv2D wants channels")


def test_blocks_that_cannot_be_written_once() -> None:
    def starred(*widths: int) -> list[Any]:
        return []

    def called(name: int) -> list[Any]:
        return []

    def wide(in_channels: int) -> list[Any]:
        return []

    @block
    def nothing(width: int) -> Any:
        return None

    assert refused(lambda: block(starred))[0].startswith("block starred: *widths")
    assert "called name" in refused(lambda: block(called))[0]
    assert "called in_channels" in refused(lambda: block(wide))[0]
    assert "cannot be a block's name" in refused(lambda: block(lambda n: [Dense(n)]))[0]
    assert refused(lambda: nothing(3))[0] == "block nothing returns nothing"


def test_a_block_may_not_borrow_anothers_parameter() -> None:
    @block
    def outside(width: int) -> Any:
        @block
        def inside(depth: int) -> Any:
            return [Conv2D(width, 1), Conv2D(depth, 1)]

        return inside(3)

    message, hint = refused(in_map(outside(2)))
    assert (
        message
        == "outside1.inside1.conv1 uses width, which is not a parameter of the block it stands in"
    )
    assert "width" in hint


def test_a_model_and_a_block_of_one_name_would_be_one_class() -> None:
    @block
    def my_net(width: int) -> Any:
        return [Dense(width)]

    assert "two classes with the same name" in refused(lambda: Model("MyNet", (3,), [my_net(2)]))[0]


def recipe(**changed: Any) -> Recipe:
    given = {"loss": CE, "optimiser": SGD(0.1), "batch": 8, "epochs": 1, "metric": "accuracy"}
    return Recipe(**(given | changed))


@pytest.mark.parametrize(
    "changed",
    [
        {"loss": "softmax"},
        {"loss": None},
        {"metric": "acuracy"},
        {"metric": "mse"},
        {"loss": "mean-squared"},
        {"optimiser": "adam"},
        {"optimiser": Adam},
        {"batch": 0},
        {"batch": 2.0},
        {"batch": True},
        {"epochs": 0},
        {"epochs": "5"},
    ],
)
def test_recipes(changed: dict[str, Any]) -> None:
    message, _ = refused(lambda: recipe(**changed))
    assert message.startswith("Recipe: ")
    (value,) = changed.values()
    assert str(value) in message or repr(value) in message


@pytest.mark.parametrize(
    "make",
    [
        lambda: Data("MNIST", 10),
        lambda: Data("../x", 10),
        lambda: Data("d", 0),
        lambda: Data("d", 1.5),
        lambda: Data("d", 10, values="gaussian"),
        lambda: Data("d", 10, low=1, high=1),
        lambda: Data("d", 10, high=math.nan),
        lambda: Init("glorot"),
        lambda: Init("constant", value=math.inf),
        lambda: Init(seed=-1),
        lambda: Init(seed=1.0),
    ],
)
def test_data_and_initial_weights(make: Callable[[], object]) -> None:
    assert refused(make)[0].startswith(("Data: ", "Init: "))


def workload(**changed: Any) -> Workload:
    given: dict[str, Any] = {
        "name": "mine",
        "title": "Mine",
        "model": Model("Mine", (3,), [Dense(2)]),
        "recipe": recipe(),
        "data": Data("mine", 64),
    }
    return Workload(**(given | changed))


WORKLOADS = {
    "Workload: name cannot be 'My Net'": {"name": "My Net"},
    "Workload: name cannot be '../x'": {"name": "../x"},
    "Workload: name cannot be None": {"name": None},
    "mine: title is ''": {"title": ""},
    "mine: title is 'a\\nb'": {"title": "a\nb"},
    "mine: title has a double quote": {"title": '"""; import os'},
    "mine: model is a list": {"model": [Dense(2)]},
    "mine: model is Model": {"model": Model},
    "mine: recipe is a SGD": {"recipe": SGD(0.1)},
    "mine: data is a str": {"data": "mnist"},
    "mine: init is a str": {"init": "he"},
    "mine: the model has 8 parameters, not the 9 it says": {"parameters": 9},
    "mine: 64 samples do not fill one batch of 65": {"recipe": recipe(batch=65)},
    "mine: softmax cross-entropy wants a score": {"model": Model("M", (2, 3, 3), [ReLU()])},
}


@pytest.mark.parametrize("message", WORKLOADS)
def test_workloads(message: str) -> None:
    assert refused(lambda: workload(**WORKLOADS[message]))[0].startswith(message)


def test_suggestions_look_past_capitals() -> None:
    assert did_you_mean("relu", ["ReLU", "Dense"]) == "did you mean ReLU?"
    assert did_you_mean("zzz", ["ReLU", "Dense"]) == "there are: ReLU, Dense"
