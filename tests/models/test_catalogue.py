"""The catalogue holds what was published."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tensorstone.models import SGD, Adam, Momentum, RMSprop, Workload
from tensorstone.models.catalogue import googlenet
from tensorstone.models.load import CATALOGUE, find, names
from tensorstone.models.placed import leaves, uses

PUBLISHED = {
    "alexnet": (45_510_474, 128, 1, SGD(0.01), (3, 224, 224)),
    "cnn-cifar10": (3_441_592, 64, 10, Momentum(0.01, 0.9), (3, 32, 32)),
    "googlenet": (15_190_552, 128, 1, SGD(0.01), (3, 224, 224)),
    "gru-imdb": (3_818_302, 64, 3, Adam(1e-3, 0.9, 0.999, 1e-8), (150,)),
    "keras-cnn": (1_250_858, 256, 10, RMSprop(1e-4, 0.9, 1e-7, 1e-6), (3, 32, 32)),
    "lenet": (60_170, 200, 15, Adam(1e-3, 0.9, 0.999), (1, 28, 28)),
    "lstm-imdb": (91_906, 128, 3, Adam(0.01), (250, 50)),
    "lstm-series": (29_763, 32, 200, Adam(1e-3), (1, 51)),
    "mlp-mnist": (109_386, 128, 5, Adam(0.01), (784,)),
    "mlp-regression": (330_501, 256, 20, Adam(1e-3), (1000,)),
    "vgg-cifar10": (8_818_250, 128, 10, Adam(0.01), (3, 32, 32)),
}
# Without a published count of parameters, or told as a variation of another.
OTHERS = ("bilstm-imdb", "gru-series", "lstm-series-long")


def test_the_catalogue_is_complete() -> None:
    assert names() == sorted([*PUBLISHED, *OTHERS])


@pytest.mark.parametrize("name", sorted(PUBLISHED))
def test_a_workload_is_as_published(name: str) -> None:
    count, batch, epochs, optimiser, inputs = PUBLISHED[name]
    workload = find(name)
    assert isinstance(workload, Workload)
    assert workload.name == name
    assert workload.model.parameters == workload.parameters == count
    assert workload.model.inputs == inputs
    assert (workload.recipe.batch, workload.recipe.epochs) == (batch, epochs)
    assert workload.recipe.optimiser == optimiser
    assert workload.source
    text = (CATALOGUE / f"{name.replace('-', '_')}.py").read_text()
    assert "Published (" in text
    assert "Left out:" in text


def kinds(name: str) -> str:
    return " ".join(leaf.layer.kind for leaf in leaves(find(name).model.chain))


def test_the_rosetta_cnn_pools_before_its_second_relu() -> None:
    pair = "Conv2D ReLU Conv2D MaxPool2D ReLU Dropout"
    assert kinds("cnn-cifar10") == f"{pair} {pair} Flatten Dense ReLU Dropout Dense"
    assert find("cnn-cifar10").model.dropout_rates == [0.25, 0.25, 0.5]
    assert find("cnn-cifar10").data.samples // find("cnn-cifar10").recipe.batch == 781


def test_the_keras_cnn_pools_after_its_second_relu() -> None:
    pair = "Conv2D ReLU Conv2D ReLU MaxPool2D Dropout"
    assert kinds("keras-cnn") == f"{pair} {pair} Flatten Dense ReLU Dropout Dense"


@pytest.mark.parametrize(
    ("name", "flat"),
    [
        ("lenet", 400),
        ("cnn-cifar10", 6400),
        ("keras-cnn", 2304),
        ("vgg-cifar10", 2048),
        ("alexnet", 6400),
        ("googlenet", 9216),
    ],
)
def test_the_flattened_sizes_are_the_published_ones(name: str, flat: int) -> None:
    found = [x for x in leaves(find(name).model.chain) if x.layer.kind == "Flatten"]
    assert [leaf.outputs for leaf in found] == [(flat,)]


def test_googlenet_counted_by_hand() -> None:
    def conv(inputs: int, outputs: int, kernel: int) -> int:
        return inputs * outputs * kernel**2 + outputs

    table = """
        3a 64|96,128|16,32|32 · 3b 128|128,192|32,96|64 · 4a 192|96,208|16,48|64
        · 4b 160|112,224|24,64|64 · 4c 128|128,256|24,64|64 · 4d 112|144,288|32,64|64
        · 4e 256|160,320|32,128|128 · 5a 256|160,320|32,128|128 · 5b 384|192,384|48,128|128"""
    rows = [[int(n) for n in re.split(r"[|,]", row.split()[1])] for row in table.split("·")]
    model = googlenet.workload.model
    assert [[n for _, n in use.arguments] for use in uses(model.chain)] == rows

    count, width = conv(3, 64, 7) + conv(64, 64, 1) + conv(64, 192, 3), 192
    for c1, r3, c3, r5, c5, pooled in rows:
        count += conv(width, c1, 1) + conv(width, pooled, 1)
        count += conv(width, r3, 1) + conv(r3, c3, 3)
        count += conv(width, r5, 1) + conv(r5, c5, 5)
        width = c1 + c3 + c5 + pooled
    assert width == 1024
    assert model.parameters == count + 9216 * 1000 + 1000
    assert round(model.parameters / 1e6, 2) == 15.19  # the published stride-2 form
    assert round((count + 25_600 * 1000 + 1000) / 1e6, 2) == 31.57  # and the stride-1 form


def test_every_convolution_of_googlenet_is_rectified() -> None:
    chain = googlenet.workload.model.chain
    kinds = [leaf.layer.kind for leaf in leaves(chain)]
    after = [kinds[i + 1] for i, kind in enumerate(kinds) if kind == "Conv2D"]
    assert after == ["ReLU"] * (3 + 9 * 6)
    assert len({use.block for use in uses(chain)}) == 1


def test_finding_and_listing_does_without_numpy() -> None:
    code = (
        "import sys; from tensorstone.models.load import find, names\n"
        "assert not [m for m in sys.modules if 'catalogue' in m]\n"
        "names(); assert not [m for m in sys.modules if 'catalogue' in m]\n"
        "[find(n) for n in names()]\n"
        "import tensorstone.models.initial, tensorstone.data.synthetic\n"
        "assert 'numpy' not in sys.modules"
    )
    source = str(Path(__file__).parents[2] / "src")
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": source})
