"""Random valid models and workloads for property tests.

Every layer, branches, blocks used more than once, groups and lopsided padding; yet small: inputs
of at most 12×12, a few thousand parameters. Shapes are followed while drawing, so that nothing is
thrown away and examples shrink well.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from tensorstone.models import (
    GELU,
    GRU,
    LSTM,
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
    Embedding,
    FirstLast,
    Flatten,
    GlobalAvgPool2D,
    LastStep,
    LeakyReLU,
    MaxPool2D,
    Model,
    Momentum,
    Recipe,
    ReLU,
    RMSprop,
    Sequential,
    Sigmoid,
    SiLU,
    SimpleRNN,
    Softmax,
    Softplus,
    Softsign,
    Tanh,
    TimeDistributed,
    Workload,
    block,
)
from tensorstone.models.layers import Layer, Pair
from tensorstone.models.placed import place
from tensorstone.models.recipe import LOSSES, Loss, Optimiser
from tensorstone.models.recurrent import Recurrent
from tensorstone.models.structure import BlockUse, Fork, Part

Draw = Callable[[st.SearchStrategy[Any]], Any]
Shape = tuple[int, ...]
Sides = tuple[Pair, Pair]

WIDEST = 12  # channels, or features after the first Dense
FLATTEST = 256  # values that may be flattened: they are multiplied by a Dense layer's units


@st.composite
def models(draw: Draw, *, flat: bool = False, dropout: bool = True) -> Model:
    """A model that ends in a layer with weights.

    `flat` asks for a vector of outputs where a map would do too; `dropout` may be left out where
    masks would get in the way.
    """
    shape = draw(st.one_of(maps(), maps(), st.tuples(st.integers(1, WIDEST))))
    inputs, parts = shape, []
    for _ in range(draw(st.integers(0, 6))):
        added = draw(st.sampled_from(_choices(shape, dropout)))(draw, shape)
        parts += added
        shape = shape_after(added, shape)
    if len(shape) == 3 and (flat or draw(st.booleans())):
        added = _flattened(draw, shape)
        parts += added
        shape = shape_after(added, shape)
    ending = _dense if len(shape) == 1 else _convolution
    return Model("Net", inputs, [*parts, *ending(draw, shape)])


@st.composite
def workloads(draw: Draw, *, dropout: bool = True) -> Workload:
    """A random model with a loss that suits it and any optimiser."""
    loss: Loss = draw(st.sampled_from(LOSSES))
    classifies = loss == "softmax-cross-entropy"
    metric = "accuracy" if "entropy" in loss else draw(st.sampled_from(["mse", "mae"]))
    return Workload(
        "random",
        "A random model",
        draw(models(flat=classifies, dropout=dropout)),
        Recipe(loss, draw(optimisers()), batch=draw(st.integers(2, 5)), epochs=1, metric=metric),
        Data("random", samples=64),
    )


@st.composite
def recurrent_models(draw: Draw, *, flat: bool = False) -> Model:
    """A model over sequences of numbers or tokens that ends in a dense layer, without dropout.

    `flat` asks for a vector of outputs where one at every step would do too.
    """
    time = draw(st.integers(1, 6))
    inputs: Shape = (time,)
    parts: list[Part] = []
    if draw(st.booleans()):
        parts = [Embedding(draw(st.integers(4, 20)), draw(st.integers(1, 5)))]
    else:
        inputs = (time, draw(st.integers(1, 5)))
    shape = shape_after(parts, inputs)
    for _ in range(draw(st.integers(0, 2))):
        added = draw(st.sampled_from([_cell, _cell, _steps, _smooth, _fork_of_cells]))(draw, shape)
        parts += added
        shape = shape_after(added, shape)
    if not flat and draw(st.booleans()):
        return Model("Net", inputs, [*parts, *_cell(draw, shape), *_steps(draw, shape)])
    last = draw(recurrent_layers())
    ending = [draw(st.sampled_from([LastStep(), FirstLast(), Flatten()]))] if last.sequence else []
    return Model("Net", inputs, [*parts, last, *ending, Dense(draw(st.integers(1, 4)))])


@st.composite
def recurrent_workloads(draw: Draw) -> Workload:
    """A random model over sequences, with a loss that suits it and any optimiser."""
    loss: Loss = draw(st.sampled_from(LOSSES))
    model = draw(recurrent_models(flat=loss == "softmax-cross-entropy"))
    metric = "accuracy" if "entropy" in loss else draw(st.sampled_from(["mse", "mae", "r2"]))
    data = Data("random", samples=64)
    if model.vocabulary:
        data = Data("random", samples=64, values="tokens", vocabulary=model.vocabulary)
    return Workload(
        "random",
        "A random model over sequences",
        model,
        Recipe(loss, draw(optimisers()), batch=draw(st.integers(2, 5)), epochs=1, metric=metric),
        data,
    )


@st.composite
def recurrent_layers(draw: Draw, sequence: bool | None = None) -> Recurrent:
    """Any recurrent layer, of few units."""
    kind = draw(st.sampled_from([SimpleRNN, LSTM, GRU]))
    every = draw(st.booleans()) if sequence is None else sequence
    units, both, after = draw(st.integers(1, 5)), draw(st.booleans()), draw(st.booleans())
    if kind is GRU:
        biases = draw(st.integers(1, 2)) if after else 1
        return GRU(units, every, both, biases, after)
    return kind(units, every, both, draw(st.integers(1, 2)))


def optimisers() -> st.SearchStrategy[Optimiser]:
    """Every optimiser, with other numbers than any framework's defaults among them."""
    rates = st.sampled_from([1e-3, 0.01, 0.05])
    shares = st.sampled_from([0.5, 0.9, 0.95])
    epsilons = st.sampled_from([1e-8, 1e-7, 1e-3])
    return st.one_of(
        st.builds(SGD, rates),
        st.builds(Momentum, rates, shares, st.booleans()),
        st.builds(Adam, rates, shares, st.sampled_from([0.9, 0.99, 0.999]), epsilons),
        st.builds(
            RMSprop, rates, st.sampled_from([0.9, 0.99]), epsilons, st.sampled_from([0.0, 0.1])
        ),
    )


def maps() -> st.SearchStrategy[Shape]:
    """The shape of an input map."""
    return st.tuples(st.integers(1, 4), st.integers(3, 12), st.integers(3, 12))


def activations() -> st.SearchStrategy[Layer]:
    """Any activation."""
    smooth = [Tanh(), Sigmoid(), Softsign(), Softplus(), GELU(), SiLU(), Softmax()]
    return st.sampled_from([ReLU(), LeakyReLU(), LeakyReLU(0.3), *smooth])


def shape_after(parts: list[Part], shape: Shape) -> Shape:
    """What parts make of a shape, as plain numbers."""
    return tuple(int(n) for n in place(Sequential(parts), shape).outputs)


def _choices(shape: Shape, dropout: bool) -> list[Callable[[Draw, Shape], list[Part]]]:
    """What may follow on this shape, each a function from it to parts."""
    common = [_activation, _batch_norm, *([_dropout] if dropout else [])]
    if len(shape) == 1:
        return [_dense, *common, _fork_of_vectors, _stages]
    few = shape[0] * 2 <= WIDEST
    return [_convolution, _pooling, *common, _residual, *([_fork_of_maps, _columns] if few else [])]


def _activation(draw: Draw, shape: Shape) -> list[Part]:
    return [draw(activations())]


def _batch_norm(draw: Draw, shape: Shape) -> list[Part]:
    momentum, epsilon = st.sampled_from([0.9, 0.99, 0.5]), st.sampled_from([1e-5, 1e-3])
    return [draw(st.builds(BatchNorm, momentum, epsilon))]


def _dropout(draw: Draw, shape: Shape) -> list[Part]:
    return [Dropout(draw(st.sampled_from([0.0, 0.25, 0.5])))]


def _dense(draw: Draw, shape: Shape) -> list[Part]:
    return [Dense(draw(st.integers(1, 10)), bias=draw(st.booleans()))]


def _convolution(draw: Draw, shape: Shape, keep_size: bool = False) -> list[Part]:
    """Any convolution; `keep_size` makes its output as high and wide as its input."""
    channels = shape[0]
    groups = draw(st.sampled_from([n for n in range(1, channels + 1) if channels % n == 0]))
    width = groups * draw(st.integers(1, max(1, 6 // groups)))
    bias = draw(st.booleans())
    if keep_size:
        size = draw(st.sampled_from([1, 3]))
        return [Conv2D(width, size, padding=size // 2, groups=groups, bias=bias)]
    padding = draw(_padding((2, 2)))
    kernel = draw(_window(tuple(n + sum(p) for n, p in zip(shape[1:], padding, strict=True))))
    return [Conv2D(width, kernel, draw(_stride()), padding, groups, bias)]


def _pooling(draw: Draw, shape: Shape) -> list[Part]:
    kernel = draw(_window(shape[1:]))
    padding = draw(_padding((kernel[0] - 1, kernel[1] - 1)))
    stride = draw(st.one_of(st.none(), _stride()))
    if draw(st.booleans()):
        return [MaxPool2D(kernel, stride, padding)]
    return [AvgPool2D(kernel, stride, padding, count_padding=draw(st.booleans()))]


def _cell(draw: Draw, shape: Shape) -> list[Part]:
    return [draw(recurrent_layers(sequence=True))]


def _steps(draw: Draw, shape: Shape) -> list[Part]:
    return [TimeDistributed(draw(st.integers(1, 4)), bias=draw(st.booleans()))]


def _smooth(draw: Draw, shape: Shape) -> list[Part]:
    return [draw(st.sampled_from([Tanh(), Sigmoid(), Softsign(), GELU()]))]


def _fork_of_cells(draw: Draw, shape: Shape) -> list[Part]:
    return _joined(draw, [_cell(draw, shape) for _ in "ab"], shape)


def _flattened(draw: Draw, shape: Shape) -> list[Part]:
    if draw(st.booleans()):
        return [GlobalAvgPool2D()]
    smaller: list[Part] = []
    while math.prod(shape) > FLATTEST:
        smaller.append(AvgPool2D(2))
        shape = shape_after([smaller[-1]], shape)
    return [*smaller, Flatten()]


def _fork_of_maps(draw: Draw, shape: Shape) -> list[Part]:
    paths = [[*_convolution(draw, shape, keep_size=True), draw(activations())] for _ in "ab"]
    if draw(st.booleans()):
        paths[1].append(MaxPool2D(3, stride=1, padding=1))
    return _joined(draw, paths, shape)


def _fork_of_vectors(draw: Draw, shape: Shape) -> list[Part]:
    # Every path begins with a Dense layer: a flattened map means its axes' order until then.
    paths = [[*_dense(draw, shape), draw(activations())] for _ in range(draw(st.integers(2, 3)))]
    return _joined(draw, paths, shape)


def _joined(draw: Draw, paths: list[list[Part]], shape: Shape) -> list[Part]:
    """The paths concatenated, or added where their shapes agree."""
    same = len({shape_after(path, shape) for path in paths}) == 1
    join: Callable[..., Fork] = Add if same and draw(st.booleans()) else Concat
    return [join(*paths)]


def _residual(draw: Draw, shape: Shape) -> list[Part]:
    """One or two uses of a block that adds its input to what it makes of it."""
    activation, after, bias = draw(activations()), draw(activations()), draw(st.booleans())

    @block
    def residual(width: int, reduced: int) -> list[Part]:
        inner = [Conv2D(reduced, 1, bias=bias), BatchNorm(), activation]
        return [Add([*inner, Conv2D(width, 3, padding=1, bias=bias)], []), after]

    return [residual(shape[0], draw(st.integers(1, 4))) for _ in range(draw(st.integers(1, 2)))]


def _columns(draw: Draw, shape: Shape) -> list[Part]:
    """An inception module in small, its first column only activated half of the time."""
    activation = draw(activations())
    begun = draw(st.booleans())

    @block
    def columns(narrow: int, wide: int) -> Fork:
        return Concat(
            [Conv2D(narrow, 1), *([activation] if begun else [])],
            [Conv2D(narrow, 1), activation, Conv2D(wide, (1, 3), padding=((0, 0), (0, 2)))],
            [AvgPool2D(3, stride=1, padding=1), Conv2D(narrow + wide, 1), activation],
        )

    return [columns(draw(st.integers(1, 2)), draw(st.integers(1, 2)))]


def _stages(draw: Draw, shape: Shape) -> list[Part]:
    """Two uses of a block of Dense layers, with their own widths."""
    activation = draw(activations())

    @block
    def stage(units: int) -> list[Part]:
        return [Dense(2 * units), activation, Dense(units)]

    uses: list[BlockUse] = [stage(draw(st.integers(1, 5))) for _ in "ab"]
    return list(uses)


def _window(room: Shape) -> st.SearchStrategy[Pair]:
    """A kernel of at most three, no larger than the room."""
    return st.tuples(*(st.integers(1, min(3, n)) for n in room))


def _stride() -> st.SearchStrategy[int | Pair]:
    return st.one_of(st.integers(1, 3), st.tuples(st.integers(1, 3), st.integers(1, 3)))


def _padding(most: Pair) -> st.SearchStrategy[Sides]:
    """None, the same all round, or each side its own, at most `most` in height and width."""
    high, wide = (st.tuples(st.integers(0, n), st.integers(0, n)) for n in most)
    even = st.integers(0, min(most)).map(lambda n: ((n, n), (n, n)))
    return st.one_of(even, st.tuples(high, wide))
