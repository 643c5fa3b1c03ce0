"""Fashion-MNIST: 60,000 + 10,000 pieces of clothing, 28 × 28, grey; MNIST's format."""

from tensorstone.data.formats import idx
from tensorstone.data.sets.dataset import DataSet
from tensorstone.data.sources.debian import Debian
from tensorstone.data.sources.download import Download

_BYTES = 30_878_645

FASHION_MNIST = DataSet(
    name="fashion-mnist",
    title="Clothes, grey, 28×28",
    homepage="https://github.com/zalandoresearch/fashion-mnist",
    checksum="dc6dc6b98c84991b711670a1cc385cec7e54583ee45714846e1958c5ed10dafc",
    kept_bytes=55_440_000,
    most=64_000_000,
    decode=idx.decode,
    sources=(
        Debian("dataset-fashion-mnist", idx.FILES, fetched_bytes=30_900_652),
        # The bucket's own site answers without encryption only; the checksum does not mind.
        Download("http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/", idx.PACKED, _BYTES),
        Download(
            "https://storage.googleapis.com/tensorflow/tf-keras-datasets/", idx.PACKED, _BYTES
        ),
    ),
)
