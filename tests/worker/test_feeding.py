"""How much is held for timing, and how a block passes over it."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from stone_worker.feeding import HELD_BYTES, held_steps, passes, repeat_to


@given(st.integers(1, 10**6), st.integers(1, 5000))
def test_passes_are_equal_and_hardly_more_than_asked(steps: int, held: int) -> None:
    count, each = passes(steps, held)
    assert each <= held
    assert steps <= count * each < steps + count


@given(st.integers(1, 10**10))
def test_everyone_holds_about_the_same(batch_bytes: int) -> None:
    steps = held_steps(batch_bytes)
    assert 4 <= steps <= 4096
    assert steps == 4 or steps * batch_bytes <= HELD_BYTES


@given(st.integers(1, 9), st.integers(1, 40))
def test_samples_repeat_in_order(have: int, wanted: int) -> None:
    array = np.arange(have * 6).reshape(have, 2, 3)
    repeated = repeat_to(array, wanted)
    assert repeated.flags["C_CONTIGUOUS"]
    assert np.array_equal(repeated, array[np.arange(wanted) % have])
