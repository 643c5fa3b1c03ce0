"""Names as people type them, and what is suggested for those that are none."""

from __future__ import annotations

import pytest

from tensorstone.support.naming import did_you_mean, same_name

MANY = [f"workload-{number}" for number in range(20)] + ["vgg-cifar10", "lenet"]


@pytest.mark.parametrize("word", ["lenet", "LeNet", " LENET "])
def test_case_makes_no_difference(word: str) -> None:
    assert same_name(word, MANY) == "lenet"


def test_underscores_are_hyphens() -> None:
    assert same_name("VGG_CIFAR10", MANY) == "vgg-cifar10"
    assert same_name("vgg", MANY) is None


def test_at_most_three_names_are_suggested() -> None:
    assert did_you_mean("workload", MANY).count("workload") == 3
    assert did_you_mean("vgg", MANY) == "did you mean vgg-cifar10?"


def test_many_names_are_never_listed_where_a_list_is_named() -> None:
    assert did_you_mean("qqq", MANY, "run: stone list") == "run: stone list"
    assert did_you_mean("qqq", ["a", "b"], "run: stone list") == "there are: a, b"
