"""The outcome level: equal dialects pass, others do not, and without a spread nothing is said."""

from __future__ import annotations

import numpy as np
import pytest

from tensorstone.analysis.seeds import judge

DIALECTS = ("a", "b", "c", "d")


def test_one_dialect_or_too_few_seeds_are_not_judged() -> None:
    (alone,) = judge({"a": [0.9, 0.91, 0.92]}).values()
    assert alone.passed is None and "no other dialect" in alone.reason
    for judgement in judge({"a": [0.9, 0.91], "b": [0.1, 0.11]}).values():
        assert judgement.passed is None and "3 seeds" in judgement.reason


def test_seeds_that_do_not_spread_prove_only_what_is_equal() -> None:
    found = judge({"a": [1.0] * 3, "b": [1.0] * 3, "c": [0.99] * 3})
    assert all(judgement.passed is None for judgement in found.values())
    assert "do not spread" in found["c"].reason
    assert judge({"a": [1.0] * 3, "b": [1.0] * 3})["a"].passed is True


def test_by_hand() -> None:
    found = judge({"a": [1.0, 2.0, 3.0], "b": [4.0, 5.0, 6.0]})["a"]
    # Standard deviation 1, Student's 4.3027 for two degrees of freedom, √(1 + 1/3).
    assert found.error == pytest.approx(3.0)
    assert found.tolerance == pytest.approx(4.3027 * (4 / 3) ** 0.5, rel=1e-4)
    assert found.passed is True


@pytest.mark.parametrize("shared", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("seeds", [3, 5])
def test_equal_dialects_seldom_fail(shared: float, seeds: int) -> None:
    """However much of a seed's luck the dialects share; each at most one time in twenty."""
    generator = np.random.default_rng(1)
    failures = 0
    for _ in range(500):
        luck = generator.normal(size=seeds)
        own = generator.normal(size=(len(DIALECTS), seeds))
        values = 0.9 + 0.01 * (np.sqrt(shared) * luck + np.sqrt(1 - shared) * own)
        judged = judge({name: list(row) for name, row in zip(DIALECTS, values, strict=True)})
        failures += sum(judgement.passed is False for judgement in judged.values())
    assert failures / (500 * len(DIALECTS)) < 0.05


def test_a_dialect_that_is_off_is_found_and_does_not_take_others_with_it() -> None:
    generator = np.random.default_rng(2)
    found = 0
    for _ in range(200):
        values = 0.9 + 0.01 * generator.normal(size=(len(DIALECTS), 5))
        values[0] -= 0.1  # ten standard deviations of a seed
        judged = judge({name: list(row) for name, row in zip(DIALECTS, values, strict=True)})
        found += judged["a"].passed is False and all(judged[name].passed for name in DIALECTS[1:])
    assert found >= 190


def test_what_float32_cannot_tell_is_no_difference() -> None:
    """All learnt it perfectly: what is left are roundings, and every framework has its own."""
    finals = {"a": [1 - 1e-11, 1 - 2e-11, 1 - 1e-11], "b": [1 - 9e-9] * 3}
    assert judge(finals)["b"].passed is False
    assert judge(finals, resolution=1.2e-7)["b"].passed is True
    finals["b"] = [1 - 1e-5] * 3
    assert judge(finals, resolution=1.2e-7)["b"].passed is False
