"""The order of an epoch: a permutation, another every epoch, and the same in every environment."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stone_worker.shuffling import epoch_order
from tensorstone.dialects.registry import frameworks
from tensorstone.runtime.environments.install import ensure

SOURCE = Path(__file__).parents[2] / "src" / "stone_worker" / "shuffling.py"
PRINT = """
import hashlib
exec(open(%r).read())
orders = [epoch_order(5000, 7, seed, epoch) for seed in (1, 3) for epoch in (1, 200)]
print(hashlib.sha256(repr([order.tolist() for order in orders]).encode()).hexdigest())
"""
REAL = [framework.name for framework in frameworks().values() if framework.python]


@given(st.integers(1, 500), st.integers(1, 60), st.integers(0, 2**31), st.integers(1, 500))
def test_an_order_is_a_permutation_without_the_incomplete_batch(
    samples: int, batch: int, seed: int, epoch: int
) -> None:
    order = epoch_order(samples, batch, seed, epoch).tolist()
    assert len(order) == samples - samples % batch
    assert len(set(order)) == len(order)
    assert set(order) <= set(range(samples))


def test_every_epoch_and_every_seed_has_its_own() -> None:
    orders = [tuple(epoch_order(50, 5, *pair)) for pair in ((1, 1), (1, 2), (2, 1), (2, 2))]
    assert len(set(orders)) == len(orders)
    assert orders[0] == tuple(epoch_order(50, 5, 1, 1))


@pytest.mark.frameworks
@pytest.mark.parametrize("name", REAL)
def test_every_environment_shuffles_alike(name: str) -> None:
    """Whatever its NumPy."""
    orders = [epoch_order(5000, 7, seed, epoch) for seed in (1, 3) for epoch in (1, 200)]
    expected = hashlib.sha256(repr([order.tolist() for order in orders]).encode()).hexdigest()
    python = str(ensure(frameworks()[name]).python)
    said = subprocess.run(
        [python, "-c", PRINT % str(SOURCE)], capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == expected
