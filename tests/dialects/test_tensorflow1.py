"""TensorFlow 1's graph: what only it says, and that what is said is meant."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from emitted import lint, source
from keras_cases import FEED_FORWARD, RECURRENT, normal, workload
from recurrent_cases import VOCABULARY, check_life, proofs, said, stage

from tensorstone.dialects.emit import emit, supports
from tensorstone.dialects.registry import dialects, frameworks
from tensorstone.models import (
    GRU,
    LSTM,
    SGD,
    Adam,
    BatchNorm,
    Conv2D,
    Dense,
    Embedding,
    Flatten,
    GlobalAvgPool2D,
    Momentum,
    ReLU,
    RMSprop,
    SimpleRNN,
)
from tensorstone.runtime.environments.install import ensure

GRAPH = "tensorflow1/graph"
CASES = {**FEED_FORWARD, **RECURRENT}
TOKENS = Embedding(VOCABULARY, 4)


def program(*args, **kwargs) -> str:
    return emit(workload(*args, **kwargs), dialects()[GRAPH])


def test_a_step_is_one_run_of_a_session():
    text = source("lenet", GRAPH) or ""
    assert "x = tf.layers.conv2d(inputs, 6, 5, activation=tf.nn.relu)\n" in text
    assert "value, _ = net.session.run([loss, step], feed)\n" in text
    assert "training" not in text, "nothing in it behaves differently in training"


def test_weights_survive_the_optimiser():
    """Weights are given before there is an optimiser: initialising all would lose them."""
    text = source("lenet", GRAPH) or ""
    network, _, learner = text.partition("def learner")
    assert "tf.global_variables_initializer()" in network
    assert "tf.global_variables_initializer()" not in learner
    assert "tf.variables_initializer(optimizer.variables())" in learner


def test_running_statistics_are_updated_with_the_step():
    text = program((3, 8, 8), Conv2D(4, 3), BatchNorm(), GlobalAvgPool2D(), Dense(3))
    assert "with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):\n" in text
    assert ", net.training: True}" in text


def test_batch_normalisation_keeps_its_epsilon():
    """TensorFlow's fused kernel has none below 1.001e-5; it knows only maps."""
    assert "fused=False" in program((3, 8, 8), BatchNorm(), Flatten(), Dense(3))
    assert "fused" not in program((6,), Dense(4), BatchNorm(), Dense(3))


def test_blocks_are_told_of_training_where_it_matters():
    text = program((3, 8, 8), normal(3), normal(3), Flatten(), Dense(3))
    assert "def normal(x, training, width):\n" in text
    assert "x = normal(inputs, training, 3)\n        x = normal(x, training, 3)\n" in text


def test_variables_of_a_block_get_new_names_at_every_use():
    text = said(GRAPH, TOKENS, stage(4), stage(3), Flatten(), Dense(3), inputs=(9,))
    assert text.count('with tf.variable_scope(None, "stage"):\n') == 1
    assert 'scope="lstm1"' in text
    assert "variable_scope" not in (source("googlenet", GRAPH) or ""), "tf.layers name their own"


def test_groups_are_convolved_one_by_one():
    text = program((4, 8, 8), Conv2D(6, 3, padding=1, groups=2), ReLU(), Flatten(), Dense(3))
    assert 'x = grouped_conv2d(inputs, 6, [3, 3], 2, padding="SAME")\n' in text
    assert "        x = tf.nn.relu(x)\n" in text
    assert "grouped_conv2d" not in (source("cnn-cifar10", GRAPH) or "")


@pytest.mark.parametrize(
    ("layer", "cell"),
    [
        (SimpleRNN(5), "tf.nn.rnn_cell.BasicRNNCell(5)"),
        (LSTM(5), "tf.nn.rnn_cell.LSTMCell(5, forget_bias=0.0)"),
        (GRU(5, reset_after=False), "tf.nn.rnn_cell.GRUCell(5)"),
    ],
)
def test_a_recurrent_layer_is_a_cell_run_over_time(layer, cell):
    text = said(GRAPH, layer, Dense(3))
    assert f"cell = {cell}\n" in text
    assert "tf.nn.dynamic_rnn(cell, inputs, dtype=tf.float32)\n" in text
    both = type(layer)(**{**layer.settings(), "bidirectional": True})
    assert f"cells = [{cell} for _ in range(2)]\n" in said(GRAPH, both, Dense(3))


def test_a_gru_that_resets_after_the_product_is_of_tf_keras():
    text = said(GRAPH, GRU(5, biases=2), Dense(3))
    assert 'tf.keras.layers.GRU(5, recurrent_activation="sigmoid", reset_after=True)\n' in text


@pytest.mark.parametrize(
    ("layer", "reason"),
    [
        (LSTM(5, biases=2), "lstm1: TensorFlow 1's LSTM has one bias, not two"),
        (SimpleRNN(5, biases=2), "rnn1: TensorFlow 1's SimpleRNN has one bias, not two"),
        (
            GRU(5),
            "gru1: TensorFlow 1's GRU that resets after the product keeps its two biases in one "
            "variable, half of which cannot be frozen",
        ),
    ],
)
def test_biases_that_tensorflow_has_not_are_refused_with_the_reason(layer, reason):
    assert supports(workload((6, 4), layer, Dense(3)), dialects()[GRAPH]) == reason


@pytest.mark.parametrize(
    ("optimiser", "densely"), [(Adam(), 0), (SGD(0.1), 0), (Momentum(0.1), 1), (RMSprop(), 1)]
)
def test_a_tables_gradient_is_an_array_where_absent_tokens_must_move(optimiser, densely):
    case = RECURRENT["stacked"]
    recipe = type(case.recipe)(**{**vars(case.recipe), "optimiser": optimiser})
    text = emit(type(case)(**{**vars(case), "recipe": recipe}), dialects()[GRAPH])
    assert text.count("tf.convert_to_tensor(g)") == densely


@pytest.mark.parametrize("name", CASES)
def test_every_case_reads_well(name):
    assert lint(text=emit(CASES[name], dialects()[GRAPH])) == ""


# A one whose variance is zero: over the root of epsilon.
SMALL_EPSILON = """
import numpy as np
import tensorflow as tf

zeros = tf.zeros_initializer()
x = tf.placeholder(tf.float32, [1, 1, 1, 1])
y = tf.layers.batch_normalization(x, epsilon=1e-6, moving_variance_initializer=zeros)
session = tf.Session()
session.run(tf.global_variables_initializer())
print(session.run(y, {x: np.ones([1, 1, 1, 1])}).item())
"""


@pytest.mark.frameworks("tensorflow1")
def test_the_fused_kernel_still_has_no_small_epsilon():
    """When this fails, maps may be normalised by it: it would be 1 / √1e-6."""
    framework = frameworks()["tensorflow1"]
    place = ensure(framework)
    ended = subprocess.run(
        [place.python, "-c", SMALL_EPSILON],
        env={**os.environ, **framework.variables(1, place.path)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert ended.returncode == 0, ended.stderr
    assert float(ended.stdout) == pytest.approx(1.001e-5**-0.5)


@pytest.mark.frameworks("tensorflow1")
def test_every_case_computes_what_the_model_means(tmp_path: Path):
    found = {
        name: (proof.outcome.status, proof.outcome.reason)
        for name, proof in proofs(GRAPH, tmp_path, CASES).items()
    }
    assert found == dict.fromkeys(CASES, ("ok", ""))


@pytest.mark.frameworks("tensorflow1")
def test_weights_go_in_and_out(tmp_path: Path):
    check_life(GRAPH, RECURRENT["in blocks"], tmp_path)
