"""Dropout's statistics, judged on masks that are known."""

from __future__ import annotations

import numpy as np
import pytest

from tensorstone.models import Conv2D, Dense, Dropout, Flatten, Model
from tensorstone.proof.dropout import CHANNELS, SIDE, WIDTH, Question, judge, questions

RATE = 0.3
ON_VECTORS = Question(RATE, False, "drop1")
ON_MAPS = Question(RATE, True, "drop1")


def _masks(rate: float = RATE, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.random(WIDTH) < rate, rng.random(WIDTH) < rate


def _kept(mask: np.ndarray, scale: float = 1 / (1 - RATE)) -> np.ndarray:
    return np.where(mask, 0.0, scale)


@pytest.mark.parametrize("seed", range(200))
def test_honest_masks_pass(seed):
    mask, other = _masks(seed=seed)
    for question in (ON_VECTORS, ON_MAPS):
        assert judge(question, _kept(mask), mask, other).deviation is None


def test_what_is_wrong_is_named():
    mask, other = _masks()
    few, fewer = _masks(0.2)
    assert judge(ON_VECTORS, _kept(few), few, fewer).deviation == "dropout-rate"
    assert judge(ON_VECTORS, _kept(mask, 1.0), mask, other).deviation == "dropout-scaling"
    assert judge(ON_VECTORS, _kept(mask), mask, mask).deviation == "dropout-mask"
    channels = np.repeat(_masks()[0][:CHANNELS], SIDE * SIDE)
    assert judge(ON_MAPS, _kept(channels), channels, other).deviation == "dropout-mask"


@pytest.mark.parametrize("question", [ON_VECTORS, ON_MAPS])
def test_whole_samples_are_no_rate(question):
    every, none = np.ones(WIDTH, bool), np.zeros(WIDTH, bool)
    for mask, other in ((every, none), (none, every)):
        found = judge(question, _kept(mask), mask, other)
        assert (found.deviation, found.detail) == (
            "dropout-mask",
            "drops all numbers of a sample, or none",
        )
    # By chance, or a rate of one: two steps do not tell.
    assert judge(question, _kept(every), every, every).deviation is None
    assert not judge(question, _kept(every), every, every).level.passed


def test_each_kind_is_asked_about_once():
    layers = [
        *(Conv2D(2, 1), Dropout(0.25), Conv2D(2, 1), Dropout(0.25), Flatten()),
        *(Dense(3), Dropout(0.25), Dense(3), Dropout(0.5), Dense(3), Dropout(0.0)),
    ]
    asked = questions(Model("Net", (1, 4, 4), layers))
    assert [(q.rate, q.on_maps, q.place) for q in asked] == [
        (0.25, True, "drop1"),
        (0.25, False, "drop3"),
        (0.5, False, "drop4"),
    ]
