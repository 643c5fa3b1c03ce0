"""Keras 3 on JAX and on PyTorch: one program, and what each backend makes of it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from emitted import source
from keras_cases import FEED_FORWARD, LOPSIDED, RECURRENT, workload
from recurrent_cases import check_life, proofs

from tensorstone.dialects.emit import emit, supports
from tensorstone.dialects.registry import dialects, lookup
from tensorstone.models import GRU, AvgPool2D, Dense, Flatten, Softmax
from tensorstone.models.load import names
from tensorstone.runtime.environments.install import ensure

DIALECTS = ["keras3/jax", "keras3/torch"]
# The programs are the same: on JAX, which compiles every one of them, some are enough.
CASES = {
    "keras3/jax": {"windows": FEED_FORWARD["windows"], "joined": RECURRENT["joined"]},
    "keras3/torch": FEED_FORWARD | RECURRENT,
}


@pytest.mark.parametrize("name", names())
def test_backends_differ_by_the_line_that_names_them(name):
    on_jax, on_torch = (source(name, dialect) or "" for dialect in DIALECTS)
    # And JAX counts tokens in 32 bits.
    said = on_jax.replace("on JAX", "on PyTorch").replace('"jax"', '"torch"')
    assert said.replace('"int32"', '"int64"') == on_torch


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_backend_is_chosen_before_keras_is_imported(dialect):
    text = source("lenet", dialect) or ""
    chosen = text.index(f'os.environ["KERAS_BACKEND"] = "{dialect.partition("/")[2]}"')
    assert chosen < text.index("import keras")
    assert "import tensorflow" not in text


def test_a_loss_sees_the_last_activation_on_these_backends():
    """On TensorFlow Keras looks through it, and a program has a loss of its own."""
    text = emit(workload((4,), Dense(3), Softmax()), dialects()["keras3/torch"])
    assert "    loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)\n" in text


def test_lopsided_means_are_said_apart_on_torch_alone():
    mean = AvgPool2D(4, stride=1, padding=((1, 2), (1, 2)))
    means = workload((2, 4, 4), mean, Flatten(), Dense(3))
    on_jax, on_torch = (emit(means, dialects()[dialect]) for dialect in DIALECTS)
    assert 'layers.AveragePooling2D(4, strides=1, padding="same")' in on_jax
    assert "average_pool(inputs, 4, 1, padding=((1, 2), (1, 2)))" in on_torch
    # Under two values the edge's repetition is no matter.
    pairs = workload((2, 4, 4), AvgPool2D(2, stride=1, padding=LOPSIDED), Flatten(), Dense(3))
    assert 'padding="same"' in emit(pairs, dialects()["keras3/torch"])


@pytest.mark.parametrize("dialect", DIALECTS)
def test_biases_that_keras_has_not_are_refused_with_the_reason(dialect):
    reason = supports(workload((6, 4), GRU(5), Dense(3)), dialects()[dialect])
    assert reason.startswith("gru1: Keras's GRU that resets after the product keeps its two biases")


# The second mean is of 2 and 3: beyond them is padding.
AT_THE_EDGE = """
import json

import keras

row = keras.ops.reshape(keras.ops.arange(4, dtype="float32"), (1, 1, 4, 1))
pool = keras.layers.AveragePooling2D((1, 3), strides=(1, 2), padding="same")
print(json.dumps(keras.ops.convert_to_numpy(pool(row)).ravel().tolist()))
"""


@pytest.mark.frameworks
@pytest.mark.parametrize(
    ("dialect", "second"), [("keras3/jax", 2.5), ("keras3/torch", (2 + 3 + 3) / 3)]
)
def test_on_torch_a_mean_still_counts_the_edge_again(dialect: str, second: float):
    """When torch's fails, programs need no `average_pool` for lopsided padding."""
    framework = lookup(dialects()[dialect].framework)
    place = ensure(framework)
    ended = subprocess.run(
        [place.python, "-c", AT_THE_EDGE],
        env={**os.environ, **framework.variables(1, place.path)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout) == pytest.approx([1.0, second])


@pytest.mark.frameworks
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_case_computes_what_the_model_means(dialect: str, tmp_path: Path):
    found = {
        name: (proof.outcome.status, proof.outcome.reason)
        for name, proof in proofs(dialect, tmp_path, CASES[dialect]).items()
    }
    assert found == dict.fromkeys(CASES[dialect], ("ok", ""))


@pytest.mark.frameworks
@pytest.mark.parametrize("dialect", DIALECTS)
def test_weights_go_in_and_out(dialect: str, tmp_path: Path):
    check_life(dialect, RECURRENT["in blocks"], tmp_path)
