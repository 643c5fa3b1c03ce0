"""How long a block is: what a call costs besides its steps must not count as theirs."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorstone.race.block_length import LONGEST_BLOCKS, MUCH, Length, block_length
from tensorstone.results.settings import RaceSettings
from tensorstone.results.trial import Block

SETTINGS = RaceSettings()


def chosen(
    call_s: float, step_s: float, guess: float = 1.0, noise: float = 0.0, seed: int = 0
) -> Length:
    """For calls that cost so much, disturbed now and then, with a step first guessed wrongly."""
    rng = random.Random(seed)

    def timed(steps: int, expected_s: float) -> Block:
        wall_s = (call_s + steps * step_s) * (1 + noise * rng.random() ** 2)
        return Block(steps, wall_s, wall_s, 0, 0, 0, 0)

    return block_length(timed, SETTINGS, guess * (call_s + step_s))


def test_steps_alone_fill_a_block() -> None:
    assert chosen(0.0, 0.001).steps == 50
    assert chosen(0.0, 0.02).steps == 5
    assert chosen(0.0, 0.08).steps == 3
    assert chosen(0.0, 0.5).steps == 1


def test_very_slow_steps_are_not_tried() -> None:
    assert chosen(0.02, 1.5) == Length(1)


@pytest.mark.parametrize("guess", [0.5, 1.0, 2.5])
@pytest.mark.parametrize("call_s", [0.0005, 0.0045, 0.015])
@pytest.mark.parametrize("step_s", [0.0002, 0.003, 0.0115, 0.04, 0.28])
def test_a_call_that_costs_much_is_about_a_hundredth_of_a_block(
    call_s: float, step_s: float, guess: float
) -> None:
    """4.5 and 11.5 ms are what `fit` was seen to cost on LeNet: a block of four steps, chosen by a
    first guess alone, would have made its steps a tenth slower than they are."""
    block_s = call_s + chosen(call_s, step_s, guess, noise=0.02).steps * step_s
    longest_s = LONGEST_BLOCKS * SETTINGS.block_s
    assert call_s / block_s < 0.02 or call_s < 1.1 * MUCH * block_s or block_s > 0.9 * longest_s


def test_noise_is_not_taken_for_what_a_call_costs() -> None:
    """Steps as of LeNet in MXNet: noise of a tenth made blocks of 2 to 14 steps of them."""
    lengths = sorted(chosen(0.0, 0.02, noise=0.1, seed=seed).steps for seed in range(100))
    assert set(lengths) == {5}


@given(call_s=st.floats(0, 0.05), step_s=st.floats(1e-8, 0.09), noise=st.floats(0, 3))
def test_a_block_is_never_absurd(call_s: float, step_s: float, noise: float) -> None:
    length = chosen(call_s, step_s, 1.0, noise)
    assert length.steps >= 1
    assert length.steps * step_s < 1.5 * LONGEST_BLOCKS * SETTINGS.block_s * (1 + noise)
