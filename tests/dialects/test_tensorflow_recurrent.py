"""Keras's recurrent layers: how they are said, and that what is said is meant."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from emitted import lint
from keras_cases import RECURRENT as SAID
from recurrent_cases import VOCABULARY, check_life, head, proofs, said, stage, workload

from tensorstone.dialects.emit import emit, supports
from tensorstone.dialects.registry import dialects, frameworks
from tensorstone.models import (
    GRU,
    LSTM,
    SGD,
    Adam,
    Dense,
    Embedding,
    FirstLast,
    Flatten,
    LastStep,
    Momentum,
    ReLU,
    RMSprop,
    SimpleRNN,
    Tanh,
    TimeDistributed,
)
from tensorstone.runtime.environments.install import ensure

KERAS = "tensorflow/keras"
DIALECTS = [name for name in dialects() if name.startswith("tensorflow/")]
TOKENS = Embedding(VOCABULARY, 4)


@pytest.mark.parametrize(
    ("layer", "words"),
    [
        (LSTM(5), "layers.LSTM(5)"),
        (SimpleRNN(5, bidirectional=True), "layers.Bidirectional(layers.SimpleRNN(5))"),
        (GRU(5, biases=2), "layers.GRU(5)"),
        (GRU(5, reset_after=False), "layers.GRU(5, reset_after=False)"),
    ],
)
def test_a_recurrent_layer_is_keras_own(layer, words):
    text = said(KERAS, layer, ReLU(), Dense(3))
    assert f'            {words},\n            layers.Activation("relu"),\n' in text
    every = words.replace("5", "5, return_sequences=True")
    assert f"{every},\n" in said(KERAS, every_step(layer), Flatten(), Dense(3))


def every_step(layer):
    return type(layer)(**{**layer.settings(), "sequence": True})


@pytest.mark.parametrize(
    ("layer", "reason"),
    [
        (LSTM(5, biases=2), "lstm1: Keras's LSTM has one bias, not two"),
        (SimpleRNN(5, biases=2), "rnn1: Keras's SimpleRNN has one bias, not two"),
        (
            GRU(5),
            "gru1: Keras's GRU that resets after the product keeps its two biases in one variable, "
            "half of which cannot be frozen",
        ),
    ],
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_biases_that_keras_has_not_are_refused_with_the_reason(dialect, layer, reason):
    assert supports(workload((6, 4), layer, Dense(3)), dialects()[dialect]) == reason


def test_tokens_are_whole_numbers():
    text = said(KERAS, TOKENS, LSTM(5), Dense(3), inputs=(9,))
    assert 'keras.Input((9,), dtype="int64"),\n            layers.Embedding(11, 4),\n' in text
    assert "keras.Input((6, 4)),\n" in said(KERAS, LSTM(5), Dense(3))


def test_steps_are_taken_from_a_sequence():
    text = said(KERAS, LSTM(5, sequence=True), LastStep(), Dense(3))
    assert "    x = x[:, -1]\n    outputs = layers.Dense(3)(x)\n" in text
    ends = said(KERAS, LSTM(5, sequence=True), FirstLast(), Dense(3))
    assert "    x = layers.concatenate([x[:, 0], x[:, -1]])\n" in ends


def test_one_dense_layer_works_on_every_step():
    text = said(KERAS, TimeDistributed(2, bias=False), Tanh(), TimeDistributed(2), Flatten())
    assert 'layers.Dense(2, activation="tanh", use_bias=False),\n' in text
    assert text.count("the same weights at every step") == 1


def test_a_block_over_sequences_is_one_function():
    text = said(KERAS, TOKENS, stage(4), stage(3), head(2), inputs=(9,))
    assert text.count("def stage(x, units):") == 1
    assert "    x = stage(x, 4)\n    x = stage(x, 3)\n    outputs = head(x, 2)\n" in text
    assert "layers.GRU(2 * units, return_sequences=True)(x)" in text


@pytest.mark.parametrize("name", SAID)
def test_the_network_reads_the_same_in_every_dialect(name):
    texts = [emit(SAID[name], dialects()[dialect]) for dialect in DIALECTS]
    networks = {text.partition("def network():")[2].partition("\n\n\n")[0] for text in texts}
    assert len(networks) == 1
    assert [lint(text=text) for text in texts] == [""] * len(DIALECTS)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("optimiser", "summed"), [(Adam(), 1), (RMSprop(), 1), (SGD(0.1), 0), (Momentum(0.1), 0)]
)
def test_a_tokens_gradients_are_summed_where_an_optimiser_squares_them(dialect, optimiser, summed):
    texts, numbers = (
        emit(workload(inputs, *layers, Dense(3), optimiser=optimiser), dialects()[dialect])
        for inputs, layers in (((9,), [TOKENS, LSTM(5)]), ((6, 4), [LSTM(5)]))
    )
    assert texts.count("tf.convert_to_tensor(gradient)") == summed
    assert "convert_to_tensor" not in numbers


# A table's row read twice, its two gradients 1 and 2: Adam's second moment of the row.
READ_TWICE = """
import json

import keras
import numpy as np
import tensorflow as tf

table = keras.Variable(np.ones((3, 1), "float32"))
optimizer = keras.optimizers.Adam(beta_2=0.5)
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(tf.constant([[1.0], [2.0]]) * keras.ops.take(table, [1, 1], axis=0))
optimizer.apply(tape.gradient(loss, [table.value]), [table])
print(json.dumps([v.numpy().tolist() for v in optimizer.variables if "velocity" in v.path]))
"""


@pytest.mark.frameworks("tensorflow")
def test_keras_own_adam_still_squares_every_occurrence_alone(tmp_path: Path):
    """When this fails, programs need no Adam of their own: it would be half of (1 + 2)²."""
    framework = frameworks()["tensorflow"]
    place = ensure(framework)
    ended = subprocess.run(
        [place.python, "-c", READ_TWICE],
        cwd=tmp_path,
        env={**os.environ, **framework.variables(1, place.path)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout) == [[[0.0], [0.5 * (1**2 + 2**2)], [0.0]]]


@pytest.mark.slow
@pytest.mark.frameworks
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_case_computes_what_the_model_means(dialect: str, tmp_path: Path):
    found = {
        name: (proof.outcome.status, proof.outcome.reason)
        for name, proof in proofs(dialect, tmp_path, SAID).items()
    }
    assert found == dict.fromkeys(SAID, ("ok", ""))


@pytest.mark.frameworks
@pytest.mark.parametrize("dialect", DIALECTS)
def test_weights_go_in_and_out(dialect: str, tmp_path: Path):
    check_life(dialect, SAID["in blocks"], tmp_path)
