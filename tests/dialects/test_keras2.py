"""Keras 2 on three backends: how it is said, what it refuses, and the defects it shows."""

from __future__ import annotations

import json
import math
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from recurrent_cases import VOCABULARY, proofs, said, workload

from tensorstone.dialects.emit import supports
from tensorstone.dialects.registry import dialects, lookup
from tensorstone.models import (
    GRU,
    LSTM,
    SGD,
    AvgPool2D,
    BatchNorm,
    Concat,
    Conv2D,
    Dense,
    Embedding,
    Flatten,
    MaxPool2D,
    Momentum,
    ReLU,
    SimpleRNN,
    TimeDistributed,
)
from tensorstone.runtime.environments.install import ensure

THEANO, CNTK, MXNET = "keras2/theano", "keras2/cntk", "keras2/mxnet"
BACKENDS = (THEANO, CNTK, MXNET)
MAPS = (2, 9, 9)
TWO = GRU(3, biases=2)


def reason(dialect, *layers, inputs=(6, 4), loss="mean-squared", optimiser=None):
    case = workload(inputs, *layers, loss=loss, optimiser=optimiser)
    return supports(case, dialects()[dialect])


@pytest.mark.parametrize("dialect", BACKENDS)
def test_a_chain_is_a_sequential_that_ends_in_logits_and_is_fitted(dialect):
    text = said(dialect, Conv2D(6, 5), ReLU(), Flatten(), Dense(3), inputs=MAPS)
    assert 'layers.Conv2D(6, 5, activation="relu", input_shape=(2, 9, 9)),\n' in text
    assert "layers.Dense(3),\n" in text
    assert "net.compile(optimizer, cross_entropy)\n" in text
    assert "y = keras.utils.to_categorical(y, 3)\n" in text
    assert "learner.fit(batches.x, batches.y, batches.size, shuffle=False" in text


@pytest.mark.parametrize("dialect", BACKENDS)
def test_maps_are_channels_first_and_flattened_as_they_are(dialect):
    text = said(dialect, MaxPool2D(3), Flatten(), Dense(3), inputs=MAPS)
    assert 'K.set_image_data_format("channels_first")' in text
    assert 'layers.Flatten(data_format="channels_last")' in text
    steps = said(dialect, TimeDistributed(2), Flatten(), Dense(3))
    assert "layers.Flatten()" in steps
    assert "set_image_data_format" not in steps


@pytest.mark.parametrize("dialect", BACKENDS)
def test_the_backend_is_chosen_before_keras_is_imported(dialect):
    text = said(dialect, TWO, Dense(3))
    backend = dialect.partition("/")[2]
    assert text.index(f'os.environ["KERAS_BACKEND"] = "{backend}"') < text.index("import keras")


def test_only_where_it_must_be_is_a_recurrent_layer_unrolled():
    tokens = Embedding(VOCABULARY, 4)
    assert "layers.Embedding(11, 4, input_length=9),\n" in said(THEANO, tokens, TWO, inputs=(9,))
    assert "layers.LSTM(5, input_shape=(6, 4)),\n" in said(THEANO, LSTM(5), Dense(3))
    assert "layers.LSTM(5, unroll=True, input_shape=(6, 4)),\n" in said(CNTK, LSTM(5), Dense(3))
    assert "unroll=True" in said(MXNET, LSTM(5), Dense(3))
    for dialect in ("keras2/cntk-rolled", "keras2/mxnet-rolled"):
        assert "unroll=" not in said(dialect, LSTM(5), Dense(3))
    assert "unroll=" not in said(CNTK, TWO, Dense(3))


def test_gates_are_sigmoids_where_this_keras_would_make_them_piecewise_linear():
    sigmoid = 'recurrent_activation="sigmoid"'
    assert [sigmoid in said(dialect, LSTM(5), Dense(3)) for dialect in BACKENDS] == [0, 0, 1]
    assert sigmoid not in said(MXNET, SimpleRNN(5), Dense(3))


def test_without_a_layer_that_is_wrong_there_is_nothing_to_roll():
    same = "the same program as keras2/mxnet: the model has no recurrent layer"
    assert reason("keras2/mxnet-rolled", Flatten(), Dense(3)) == same
    same = "the same program as keras2/cntk: the model has no LSTM"
    assert reason("keras2/cntk-rolled", Flatten(), Dense(3)) == same
    assert reason("keras2/cntk-rolled", TWO, Dense(3)) == same


@pytest.mark.parametrize("dialect", BACKENDS)
@pytest.mark.parametrize(
    ("layer", "why"),
    [
        (Conv2D(4, 3, groups=2), "conv1: Keras 2's Conv2D knows no groups"),
        (MaxPool2D(3, 2, padding=((0, 1), (0, 1))), "pool1: Keras 2 pads pooling only by half"),
    ],
)
def test_what_keras_2_cannot_say_is_refused(dialect, layer, why):
    assert reason(dialect, layer, Flatten(), Dense(3), inputs=MAPS).startswith(why)


def test_what_a_backend_gets_wrong_is_refused_on_it_alone():
    wide, mean = MaxPool2D(5, 1, padding=2), AvgPool2D(3, 1, padding=1)
    nesterov = Momentum(0.1, 0.9, nesterov=True)
    every = [LSTM(4, sequence=True), TimeDistributed(2)]

    def refusing(*layers, inputs=MAPS, optimiser=None):
        why = {b: reason(b, *layers, inputs=inputs, optimiser=optimiser) for b in BACKENDS}
        return [backend for backend, text in why.items() if text]

    assert refusing(wide, Flatten(), Dense(3)) == [THEANO]
    assert refusing(mean, Flatten(), Dense(3)) == [MXNET]
    assert refusing(BatchNorm(), Flatten(), Dense(3)) == [THEANO, CNTK]
    assert refusing(Flatten(), Dense(3), optimiser=nesterov) == [MXNET]
    assert refusing(*every, inputs=(6, 4)) == [MXNET]
    assert refusing(LSTM(1), Dense(3), inputs=(6, 4)) == [MXNET]


def test_a_strided_pooling_is_thinned_out_where_keras_would_pad_other_sides():
    text = said(CNTK, MaxPool2D(3, 2, padding=1), Flatten(), Dense(3), inputs=MAPS)
    assert 'layers.MaxPooling2D(3, strides=1, padding="same", input_shape=(2, 9, 9)),\n' in text
    assert "layers.MaxPooling2D(1, strides=2),\n" in text


FEED_FORWARD = workload(
    (2, 14, 14),
    Conv2D(4, (3, 2), stride=(2, 1), padding=((1, 0), (0, 1))),
    ReLU(),
    MaxPool2D(3, 2, padding=1),
    Concat([Conv2D(3, 3, padding=1)], [AvgPool2D(3, 1, padding=1, count_padding=True)]),
    Flatten(),
    Dense(5, bias=False),
    optimiser=SGD(0.05),
)
LAYERS = {
    "LSTM": workload((6, 4), LSTM(3), Dense(3)),
    "GRU": workload((6, 4), TWO, Dense(3)),
    "one step": workload((1, 4), LSTM(3), Dense(3)),
}


@pytest.mark.frameworks
@pytest.mark.parametrize("dialect", [CNTK, MXNET])
def test_the_working_forms_are_proven(dialect, tmp_path: Path):
    found = proofs(dialect, tmp_path, {"maps": FEED_FORWARD, **LAYERS})
    assert {name: proof.outcome.reason for name, proof in found.items()} == dict.fromkeys(found, "")


@pytest.mark.frameworks("keras2-theano")
def test_on_theano_kernels_are_read_backwards_and_meant_forwards(tmp_path: Path):
    case = workload(MAPS, Conv2D(4, (3, 2)), ReLU(), MaxPool2D(2), Flatten(), Dense(3))
    proof = proofs(THEANO, tmp_path, {"maps": case})["maps"]
    assert (proof.outcome.status, proof.outcome.reason) == ("ok", "")


@pytest.mark.frameworks("keras2-mxnet")
def test_mxnet_s_rolled_layers_never_use_their_weights(tmp_path: Path):
    found = proofs("keras2/mxnet-rolled", tmp_path, LAYERS)
    named = {name: (proof.outcome.status, proof.diagnosis) for name, proof in found.items()}
    assert named == dict.fromkeys(LAYERS, ("unequal", "weights-unused"))
    assert "all gates take the first one's bias" in found["LSTM"].detail


@pytest.mark.frameworks("keras2-cntk")
def test_cntk_s_rolled_lstm_returns_its_cell_s_state(tmp_path: Path):
    lstms = {name: case for name, case in LAYERS.items() if name != "GRU"}
    found = proofs("keras2/cntk-rolled", tmp_path, lstms)
    named = {name: (proof.outcome.status, proof.diagnosis) for name, proof in found.items()}
    assert named == dict.fromkeys(lstms, ("unequal", "cell-state-returned"))


def asked(build: str, script: str, folder: Path) -> Any:
    """What a script prints, run by itself in one of the room's environments."""
    framework = lookup(build)
    place = ensure(framework)
    ended = subprocess.run(
        [place.python, "-c", script],
        cwd=folder,
        env={**os.environ, **framework.variables(1, place.path)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


OWN_LOSSES = """
import json
from keras import backend as K
sure = K.variable([[0.0, 40.0]]), K.variable([[40.0]])
wrong = K.variable([[1.0, 0.0]]), K.variable([[0.0]])
several = K.categorical_crossentropy(wrong[0], sure[0], from_logits=True)
two = K.binary_crossentropy(wrong[1], sure[1], from_logits=True)
print(json.dumps([float(K.eval(loss).ravel()[0]) for loss in (several, two)]))
"""


@pytest.mark.frameworks("keras2-mxnet")
def test_keras_own_losses_still_clip_what_they_make_of_logits(tmp_path: Path):
    """When this fails, programs need no cross-entropy of their own: both should be 40."""
    clipped = -math.log(1e-7)
    several, two = asked("keras2-mxnet", OWN_LOSSES, tmp_path)
    assert several == pytest.approx(clipped, rel=1e-3)
    assert two == pytest.approx(clipped, rel=0.02)  # 1 - 1e-7 is no float32


OWN_NORM = """
import json
import keras
import numpy as np
net = keras.models.Sequential([keras.layers.BatchNormalization(input_shape=(1,), epsilon=1e-5)])
net.set_weights([np.array([v]) for v in (3.0, 0.0, 0.0, 1.0)])
print(json.dumps(net.predict(np.ones((1, 1))).tolist()))
"""


@pytest.mark.frameworks("keras2-mxnet")
def test_keras_own_normalisation_still_ignores_gamma_on_mxnet(tmp_path: Path):
    """When this fails, programs need no BatchNormalization of their own."""
    found = asked("keras2-mxnet", OWN_NORM, tmp_path)
    assert found == [[pytest.approx(1.0, abs=1e-4)]]
