"""Shape inference against counting windows one by one."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tensorstone.models import AvgPool2D, Conv2D, Dense, MaxPool2D, Model
from tensorstone.support.errors import StoneError

sizes = st.integers(1, 14)
kernels = st.integers(1, 6)
strides = st.integers(1, 5)
sides = st.tuples(st.integers(0, 4), st.integers(0, 4))


def windows(size: int, kernel: int, stride: int, pads: tuple[int, int]) -> int:
    """How many windows fit, by sliding one over a padded row."""
    row = np.pad(np.arange(size), pads)
    views = np.lib.stride_tricks.sliding_window_view(row, kernel)
    return len(views[::stride])


@given(
    st.tuples(sizes, sizes),
    st.tuples(kernels, kernels),
    st.tuples(strides, strides),
    st.tuples(sides, sides),
)
def test_a_convolution_has_as_many_outputs_as_windows(size, kernel, stride, padding) -> None:
    layer = Conv2D(5, kernel, stride, padding)
    if any(k > n + sum(p) for k, n, p in zip(kernel, size, padding, strict=True)):
        with pytest.raises(StoneError, match=r"^conv1: kernel \d is larger than its input"):
            Model("M", (2, *size), [layer])
        return
    model = Model("M", (2, *size), [layer])
    rows = zip(size, kernel, stride, padding, strict=True)
    assert model.outputs == (5, *(windows(*row) for row in rows))
    assert model.parameters == 5 * 2 * kernel[0] * kernel[1] + 5


@pytest.mark.parametrize("pool", [MaxPool2D, AvgPool2D])
@given(
    st.tuples(sizes, sizes),
    st.tuples(kernels, kernels),
    st.one_of(st.none(), st.tuples(strides, strides)),
    st.tuples(sides, sides),
)
def test_a_pool_rounds_down_like_the_windows(pool, size, kernel, stride, padding) -> None:
    assume(all(k <= n + sum(p) for k, n, p in zip(kernel, size, padding, strict=True)))
    layer = pool(kernel, stride, padding)
    if any(max(p) >= k for k, p in zip(kernel, padding, strict=True)):
        with pytest.raises(StoneError, match=r"^pool1: padding"):
            Model("M", (3, *size), [layer])
        return
    rows = zip(size, kernel, stride or kernel, padding, strict=True)
    assert Model("M", (3, *size), [layer]).outputs == (3, *(windows(*row) for row in rows))


@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 4), st.booleans())
def test_groups_share_out_the_channels(groups: int, into: int, out: int, bias: bool) -> None:
    model = Model("M", (groups * into, 5, 5), [Conv2D(groups * out, 3, groups=groups, bias=bias)])
    (weight, *rest) = model.weights
    assert weight.shape == (groups * out, into, 3, 3)
    assert [w.shape for w in rest] == ([(groups * out,)] if bias else [])


@pytest.mark.parametrize(
    ("short", "long"),
    [
        (Conv2D(2, 3), Conv2D(2, (3, 3), (1, 1), ((0, 0), (0, 0)))),
        (Conv2D(2, 3, padding=(1, 2)), Conv2D(2, 3, padding=((1, 1), (2, 2)))),
        (Conv2D(2, [3, 5], padding=[1, 2]), Conv2D(2, (3, 5), padding=((1, 1), (2, 2)))),
        (MaxPool2D(2), MaxPool2D((2, 2), (2, 2))),
        (MaxPool2D((2, 3), 1), MaxPool2D((2, 3), (1, 1))),
    ],
)
def test_short_and_long_forms_are_one_layer(short, long) -> None:
    assert short == long
    assert hash(short) == hash(long)


def test_arrays_too_large_to_index_are_refused() -> None:
    with pytest.raises(StoneError, match=r"^fc1: its weight of 1000000×1000000") as caught:
        Model("M", (10**6,), [Dense(10**6)])
    assert "smaller" in caught.value.hint
    with pytest.raises(StoneError, match=r"^conv1: an output of"):
        Model("M", (1, 10**5, 10**5), [Conv2D(1, 1)])
