"""Reviews as numbers: words by how often the training reviews say them.

A review is lower case, without punctuation (`<br />` is punctuation), split on spaces. Number 0
pads, 1 begins a review, 2 stands for every word outside the vocabulary, 3 is the commonest word.
Of a long review the last tokens are kept; a short one has zeros on its right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tensorstone.data import messages
from tensorstone.data.content import Arrays
from tensorstone.data.formats.reviews import texts
from tensorstone.data.prepared.split import Real, Split, class_targets, enough, unfit
from tensorstone.models.workload import Workload

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

START, UNKNOWN, FIRST = 1, 2, 3
# The punctuation that Keras's tokeniser drops; apostrophes stay.
_DROPPED = str.maketrans(dict.fromkeys('!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n', " "))
# Raw reviews are all negative ones, then all positive ones, and batches come in order.
_SHUFFLED = 20_110_619
_VECTORS = 20_190_321


def words(text: str) -> list[str]:
    """A review's words."""
    plain = text.lower().replace("<br />", " ").translate(_DROPPED)
    return [word for word in plain.split(" ") if word]


def numbers(counts: Mapping[str, int], vocabulary: int) -> dict[str, int]:
    """Every word's number, commonest first; equally common ones by the alphabet."""
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    return {word: number for number, word in enumerate(ranked[: vocabulary - FIRST], FIRST)}


def encode(
    reviews: Sequence[Sequence[str]], numbered: Mapping[str, int], length: int
) -> NDArray[np.int64]:
    """Reviews × length: the last tokens, zeros on the right."""
    import numpy as np

    encoded = np.zeros((len(reviews), length), np.int64)
    for row, review in zip(encoded, reviews, strict=True):
        # The start mark is one token more: it survives only where nothing has to go.
        tokens = [numbered.get(word, UNKNOWN) for word in review[-length:]]
        if len(tokens) < length:
            tokens.insert(0, START)
        row[: len(tokens)] = tokens
    return encoded


def prepare(workload: Workload, arrays: Arrays) -> Real:
    """Tokens for a model that begins with an Embedding, word vectors for one that does not."""
    import numpy as np

    inputs, vocabulary = workload.model.inputs, workload.data.vocabulary
    if vocabulary is None or len(inputs) not in (1, 2) or (len(inputs) == 1) != _tokens(workload):
        raise unfit(workload, messages.WANTS_TEXT)
    samples = enough(workload, len(arrays["train_y"]))
    said, counts = _ends(arrays, "train", inputs[0])
    tested, _ = _ends(arrays, "test", inputs[0])
    numbered = numbers(counts, vocabulary)
    # Vectors take fifty times the room of tokens: no more are judged on than trained on.
    judged = len(tested) if _tokens(workload) else min(samples, len(tested))

    def split(reviews: list[list[str]], labels: NDArray[Any], count: int) -> Split:
        order = np.random.default_rng(_SHUFFLED).permutation(len(reviews))[:count]
        x: NDArray[Any] = encode([reviews[i] for i in order], numbered, inputs[0])
        if not _tokens(workload):
            x = vectors(vocabulary, inputs[1])[x]
        return Split(x, class_targets(workload, labels[order], 2))

    train = split(said, arrays["train_y"], samples)
    test = split(tested, arrays["test_y"], judged)
    features = None if _tokens(workload) else inputs[1]
    note = messages.note_text(inputs[0], vocabulary, features, len(train), len(test))
    return Real(train, test, note)


def vectors(vocabulary: int, features: int) -> NDArray[np.float32]:
    """A normal vector for each word, the same in every run; padding is zero."""
    import numpy as np

    table = np.random.default_rng(_VECTORS).standard_normal((vocabulary, features), np.float32)
    table[0] = 0
    return table


def _ends(arrays: Arrays, part: str, length: int) -> tuple[list[list[str]], Counter[str]]:
    """The end of each review, and how often every word is said in all of them."""
    ends, counts = [], Counter[str]()
    for text in texts(arrays, part):
        said = words(text)
        counts.update(said)
        ends.append(said[-length:])
    return ends, counts


def _tokens(workload: Workload) -> bool:
    return workload.data.values == "tokens"
