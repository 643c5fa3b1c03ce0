"""The order of values between channels-first and channels-last flattening."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from stone_worker.layout import hwc_order

sizes = st.integers(1, 5)
maps = st.lists(st.tuples(sizes, sizes, sizes), min_size=1, max_size=4)


@given(maps, st.integers(1, 3))
def test_indexing_canonical_vectors_gives_what_a_channels_last_flatten_gives(segments, batch):
    rng = np.random.default_rng(0)
    features = [rng.standard_normal((batch, *segment)) for segment in segments]
    canonical = np.concatenate([f.reshape(batch, -1) for f in features], axis=1)
    native = np.concatenate([f.transpose(0, 2, 3, 1).reshape(batch, -1) for f in features], axis=1)

    order = hwc_order(segments)

    np.testing.assert_array_equal(canonical[..., order], native)
    back = np.empty_like(native)
    back[..., order] = native
    np.testing.assert_array_equal(back, canonical)


def test_plain_features_stay_where_they_are():
    assert hwc_order([[4, 1, 1]]).tolist() == [0, 1, 2, 3]


def test_two_channels_are_interleaved():
    assert hwc_order([[2, 1, 2], [2, 1, 1]]).tolist() == [0, 2, 1, 3, 4, 5]
