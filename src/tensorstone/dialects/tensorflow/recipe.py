"""TensorFlow's training steps around a Keras recipe, and where they differ from Keras's."""

from __future__ import annotations

from tensorstone.dialects.registry import Dialect
from tensorstone.dialects.shared.keras import recipe
from tensorstone.models import layers as L
from tensorstone.models.placed import Chain, leaves
from tensorstone.models.recipe import Adam
from tensorstone.models.workload import Workload

# The losses on logits that Keras computes from what stands before such a final activation.
LOOKS_THROUGH = {
    "softmax-cross-entropy": (L.Softmax, "cross_entropy", "sparse_categorical_crossentropy"),
    "binary-cross-entropy": (L.Sigmoid, "cross_entropy", "binary_crossentropy"),
}

DECORATORS = {
    "keras": "",
    "eager": "",
    "function": "@tf.function",
    "xla": "@tf.function(jit_compile=True)",
}


def describe(workload: Workload, dialect: Dialect, inside: bool) -> dict[str, object]:
    """What the template needs to know of the recipe.

    An embedding's gradient has a row for each token of the batch, the same one's apart. Keras's
    Adam squares them so; the program has its own, which adds them up before. While Keras was
    `inside` TensorFlow its optimisers did that themselves.
    """
    tokens = workload.model.vocabulary is not None
    adam = tokens and not inside and isinstance(workload.recipe.optimiser, Adam)
    described = recipe.describe(workload, adam="Adam" if adam else "keras.optimizers.Adam")
    through = _looked_through(workload.recipe.loss, workload.model.chain)
    loss = through[0] if through else str(described["loss"])
    own = [*([] if "(" in loss else [loss]), *(["RMSprop"] if described["rmsprop"] else [])]
    return {
        **described,
        "loss": loss,
        "own_names": own,  # what the program defines for Keras to find when it loads a net
        "looked_through": through,
        "adam": adam,
        "tokens": tokens,
        "decorator": DECORATORS[dialect.short],
    }


def _looked_through(loss: str, chain: Chain) -> tuple[str, str] | None:
    """A loss of our own, as (name, Keras's function), where Keras's class would see too much."""
    if loss not in LOOKS_THROUGH:
        return None
    activation, name, function = LOOKS_THROUGH[loss]
    ends = [
        leaf.layer for leaf in leaves(chain) if not isinstance(leaf.layer, L.Dropout | L.Flatten)
    ]
    return (name, function) if ends and isinstance(ends[-1], activation) else None
