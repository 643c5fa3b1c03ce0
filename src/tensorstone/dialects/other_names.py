"""What people call frameworks and dialects elsewhere, and what they are called here."""

from __future__ import annotations

from tensorstone.support.naming import folded

OTHER_NAMES = {
    "torch": "pytorch",
    "tf": "tensorflow",
    "tf2": "tensorflow",
    "tf1": "tensorflow1",
    "mx": "mxnet",
    "gluon": "mxnet/gluon",
    "flax": "jax/flax",
    "paddlepaddle": "paddle",
    "tf.keras": "tensorflow/keras",
    "ms": "mindspore",
    "keras3-pytorch": "keras3-torch",
    "keras3/pytorch": "keras3/torch",
}


def usual_name(word: str) -> str:
    """`Torch/eager` is pytorch/eager, `tf@2.4.0` is tensorflow@2.4.0; other words are as they
    are, in small letters."""
    word = folded(word)
    if word in OTHER_NAMES:
        return OTHER_NAMES[word]
    ends = [place for mark in "/@" if (place := word.find(mark)) >= 0]
    place = min(ends, default=len(word))
    framework = OTHER_NAMES.get(word[:place], word[:place])
    return word if "/" in framework else framework + word[place:]
