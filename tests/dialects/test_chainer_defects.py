"""What programs for Chainer are written around: each defect still there, shown without stone."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

import pytest

from tensorstone.dialects.registry import dialects, frameworks
from tensorstone.runtime.environments.install import ensure

NUMPY, IDEEP = "chainer/define-by-run", "chainer/ideep"

# A weight under a gradient of one, in Chainer's Nesterov at rate 0.1 and momentum 0.5.
NESTEROV = """
import json

import chainer
import numpy as np

link = chainer.Link(w=(1,))
link.w.array[...] = 0
optimizer = chainer.optimizers.NesterovAG(lr=0.1, momentum=0.5).setup(link)
link.w.grad = np.ones(1, "float32")
optimizer.update()
print(json.dumps(float(link.w.array[0])))
"""

# A gradient of ones, after a mean that leaves padding out was differentiated with it.
POOLED = """
import json

import chainer.functions as F
import numpy as np
from chainer import Variable

y = F.average_pooling_nd(
    Variable(np.ones((1, 1, 3, 3), "float32")), 3, stride=1, pad=1, pad_value=None
)
y.grad = np.ones((1, 1, 3, 3), "float32")
y.backward(retain_grad=True)
print(json.dumps(float(y.grad.min())))
"""

# How many different masks fifty calls draw, and in how many of the clock's seconds.
MASKS = """
import json
import time

import chainer
import chainer.functions as F
import numpy as np

chainer.config.use_ideep = "auto"
ones = np.ones((8, 8), "float32")
begun = int(time.time())
masks = {np.array(F.dropout(ones).array).tobytes() for _ in range(50)}
print(json.dumps([len(masks), int(time.time()) - begun + 1]))
"""

# A convolution's sixteen channels times ones: how far that is from the same channels.
PRODUCT = """
import json

import chainer
import chainer.links as L
import numpy as np

chainer.config.use_ideep = "auto"
conv = L.Convolution2D(3, 16, ksize=3)
conv.to_device("@intel64")
x = np.random.rand(2, 3, 6, 6).astype("float32")
product = conv(x).array * np.ones((2, 16, 4, 4), "float32")
print(json.dumps(float(abs(np.array(product) - np.array(conv(x).array)).max())))
"""

# A gradient that is every second value of an array.
VIEW = """
import json

import chainer
import numpy as np

chainer.config.use_ideep = "auto"
link = chainer.Link(w=(3,))
link.to_device("@intel64")
optimizer = chainer.optimizers.SGD(lr=0.1).setup(link)
link.w.grad = np.ones(6, "float32")[::2]
try:
    optimizer.update()
except ValueError as refusal:
    print(json.dumps(str(refusal)))
"""


@pytest.mark.frameworks("chainer")
def test_chainers_own_nesterov_still_takes_the_new_velocity():
    """When this fails, programs need no rule of their own: it would be -0.15."""
    assert ran(NUMPY, NESTEROV) == pytest.approx(-0.175)


@pytest.mark.frameworks("chainer")
def test_a_mean_without_padding_still_writes_into_the_gradient_it_is_given():
    """When this fails, programs can say average_pooling_nd: it would be 1."""
    assert ran(NUMPY, POOLED) == pytest.approx(1 / 9)


@pytest.mark.frameworks("chainer-ideep")
def test_ideeps_own_dropout_still_draws_one_mask_a_second():
    """When this fails, programs need no dropout of their own: there would be fifty masks."""
    masks, seconds = ran(IDEEP, MASKS)
    assert masks <= seconds


@pytest.mark.frameworks("chainer-ideep")
def test_ideeps_products_are_still_wrong():
    """When this fails, activations of maps need not go by way of NumPy: it would be 0."""
    assert ran(IDEEP, PRODUCT) > 0.01


@pytest.mark.frameworks("chainer-ideep")
def test_ideeps_own_update_still_refuses_views():
    """When this fails, programs need not make gradients contiguous."""
    assert "Wrong operand" in ran(IDEEP, VIEW)


def ran(dialect: str, source: str) -> Any:
    """What a script prints as JSON, run in the dialect's environment."""
    framework = frameworks()[dialects()[dialect].framework]
    environment = ensure(framework)
    ended = subprocess.run(
        [environment.python, "-c", source],
        env={**os.environ, **framework.variables(1, environment.path)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)
