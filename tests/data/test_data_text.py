"""Reviews as numbers: by frequency, the last tokens, zeros on the right."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_sets import write_reviews
from workloads_for import workload

from tensorstone.data.formats import reviews
from tensorstone.data.prepared.text import START, UNKNOWN, encode, numbers, prepare, vectors, words
from tensorstone.models import Data, Embedding
from tensorstone.support.errors import StoneError

WORDS = st.lists(st.sampled_from("abcdefghij"), max_size=20)


def test_words_are_lower_case_without_punctuation() -> None:
    assert words("Bad, BAD film.<br /><br />It's naïve/50%\n(really)") == [
        *("bad", "bad", "film", "it's", "naïve", "50", "really"),
    ]


def test_numbers_go_by_frequency_then_by_the_alphabet() -> None:
    counts = Counter({"the": 5, "film": 3, "a": 3, "rare": 1})
    assert numbers(counts, 100) == {"the": 3, "a": 4, "film": 5, "rare": 6}
    assert numbers(counts, 5) == {"the": 3, "a": 4}


def test_the_start_survives_only_where_nothing_has_to_go() -> None:
    numbered = {"a": 3, "b": 4, "c": 5}
    encoded = encode([["a"], ["a", "b"], ["a", "b", "c"], ["x", "a", "b", "c"], []], numbered, 3)
    assert encoded.tolist() == [[1, 3, 0], [1, 3, 4], [3, 4, 5], [3, 4, 5], [1, 0, 0]]


@given(st.lists(WORDS, min_size=1, max_size=8), st.integers(4, 20), st.integers(1, 25))
def test_every_review_ends_with_its_last_tokens_and_is_padded_on_the_right(
    said: list[list[str]], vocabulary: int, length: int
) -> None:
    counts = Counter(word for review in said for word in review)
    numbered = numbers(counts, vocabulary)
    encoded = encode(said, numbered, length)
    assert encoded.shape == (len(said), length)
    assert encoded.dtype == np.int64
    assert 0 <= encoded.min() <= encoded.max() < vocabulary
    for row, review in zip(encoded.tolist(), said, strict=True):
        tokens = [START, *(numbered.get(word, UNKNOWN) for word in review)][-length:]
        assert row == tokens + [0] * (length - len(tokens))
    frequencies = [counts[word] for word in numbered]
    assert frequencies == sorted(frequencies, reverse=True)


@pytest.fixture
def arrays(tmp_path: Path) -> dict[str, np.ndarray]:
    write_reviews(tmp_path)
    return dict(reviews.decode(tmp_path, 10**6))


def text(samples: int = 4, vocabulary: int = 6) -> Data:
    return Data("imdb", samples, values="tokens", vocabulary=vocabulary)


def test_only_training_reviews_make_the_vocabulary(arrays: dict[str, np.ndarray]) -> None:
    """ "bad" is said four times and "film" twice, as "good"; "enough" only in the test."""
    real = prepare(workload(text(), (3,), 2, first=Embedding(6, 2)), arrays)
    assert sorted(map(tuple, real.test.x.tolist())) == [(1, 2, 3), (1, 5, 2)]
    assert sorted(real.train.y.tolist()) == [0, 0, 0, 1]
    assert "vocabulary 6" in real.note
    assert "zeros on the right" in real.note


def test_labels_stay_with_their_reviews_through_the_shuffle(arrays: dict[str, np.ndarray]) -> None:
    real = prepare(workload(text(), (5,), 2, first=Embedding(6, 2)), arrays)
    (good,) = np.flatnonzero(real.train.y)
    assert real.train.x[good].tolist() == [1, 5, 4, 5, 0]  # good film good
    again = prepare(workload(text(), (5,), 2, first=Embedding(6, 2)), arrays)
    assert np.array_equal(real.train.x, again.train.x)
    fewer = prepare(workload(text(2), (5,), 2, first=Embedding(6, 2)), arrays)
    assert np.array_equal(fewer.train.x, real.train.x[:2])


def test_one_score_under_binary_cross_entropy(arrays: dict[str, np.ndarray]) -> None:
    made = workload(text(), (3,), 1, "binary-cross-entropy", first=Embedding(6, 2))
    real = prepare(made, arrays)
    assert (real.train.y.dtype, real.train.y.shape) == (np.float32, (4, 1))


def test_word_vectors_stand_for_the_same_tokens(arrays: dict[str, np.ndarray]) -> None:
    tokens = prepare(workload(text(2), (4,), 2, first=Embedding(6, 2)), arrays)
    real = prepare(workload(Data("imdb", 2, vocabulary=6), (4, 3), 2), arrays)
    assert real.train.x.dtype == np.float32
    assert np.array_equal(real.train.x, vectors(6, 3)[tokens.train.x])
    assert len(real.test) == 2
    assert "vector of 3" in real.note
    assert not vectors(6, 3)[0].any()


def test_a_model_of_images_cannot_read_reviews(arrays: dict[str, np.ndarray]) -> None:
    with pytest.raises(StoneError, match="vocabulary"):
        prepare(workload(Data("imdb", 2), (1, 28, 28), 2), arrays)
