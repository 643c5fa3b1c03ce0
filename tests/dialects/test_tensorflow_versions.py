"""TensorFlow 2.4, when Keras was a part of it: the same room."""

from __future__ import annotations

from pathlib import Path

import pytest
from keras_cases import FEED_FORWARD, RECURRENT
from recurrent_cases import check_life, proofs

from tensorstone.dialects.emit import Unsupported, emit
from tensorstone.dialects.registry import select
from tensorstone.models.load import find

OLD = "tensorflow@2.4.0/keras"
IN_GROUPS = "windows"
CASES = {
    **{name: FEED_FORWARD[name] for name in ("activations", "blocks")},
    **{name: RECURRENT[name] for name in ("joined", "every step")},
}


def test_its_programs_differ_only_where_the_versions_do():
    old, usual = emit(find("lenet"), select([OLD])[0]), emit(find("lenet"), _usual())
    differing = set(old.splitlines()) ^ set(usual.splitlines())
    assert differing == {
        "import keras",
        "from keras import layers",
        "from tensorflow import keras",
        "from tensorflow.keras import layers",
        '    net.save(f"{path}.h5")',
        '    net.save(f"{path}.keras")',
        '    return keras.models.load_model(f"{path}.h5")',
        '    return keras.models.load_model(f"{path}.keras")',
    }


def test_its_adam_sums_a_token_s_gradients_itself():
    assert "class Adam" in emit(find("gru-imdb"), _usual())
    assert "class Adam" not in emit(find("gru-imdb"), select([OLD])[0])


def test_groups_are_refused_with_the_reason():
    with pytest.raises(Unsupported, match=r"conv1: TensorFlow 2\.4 has no groups on a CPU"):
        emit(FEED_FORWARD[IN_GROUPS], select([OLD])[0])


@pytest.mark.frameworks("tensorflow@2.4.0")
def test_every_case_computes_what_the_model_means(tmp_path: Path):
    found = {
        name: (p.outcome.status, p.outcome.reason)
        for name, p in proofs(OLD, tmp_path, CASES).items()
    }
    assert found == dict.fromkeys(CASES, ("ok", ""))


@pytest.mark.frameworks("tensorflow@2.4.0")
def test_weights_go_in_and_out(tmp_path: Path):
    check_life(OLD, RECURRENT["in blocks"], tmp_path)


def _usual():
    return select(["tensorflow/keras"])[0]
