"""IMDB: 25,000 + 25,000 film reviews, half of them negative (0), half positive (1).

Kept as raw text, so that every encoding begins from the same content. Registries have only parts
of it: there is no package among the sources.
"""

from tensorstone.data.formats import reviews
from tensorstone.data.sets.dataset import DataSet
from tensorstone.data.sources.download import Download

IMDB = DataSet(
    name="imdb",
    title="Film reviews, negative or positive",
    homepage="https://ai.stanford.edu/~amaas/data/sentiment/",
    checksum="908e7e535dd8b4b58a43d56843d3660c64cc65021d95a970fbb70db606dc25cc",
    kept_bytes=66_283_508,
    most=1_000_000_000,
    decode=reviews.decode,
    sources=(
        Download("https://ai.stanford.edu/~amaas/data/sentiment/", reviews.FILES[:1], 84_125_825),
    ),
)
