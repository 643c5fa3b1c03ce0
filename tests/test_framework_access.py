"""What a test may install is what it names."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from framework_access import NotNamed
from framework_marks import DEFAULT, needed

from tensorstone.dialects.registry import frameworks
from tensorstone.runtime.environments.install import ensure

STONE = Path(__file__).parent / "stone_in_tests.py"


def test_a_test_without_a_mark_gets_no_environment() -> None:
    with pytest.raises(NotNamed, match=r'write @pytest.mark.frameworks\("jax"\)'):
        ensure(frameworks()["jax"])


@pytest.mark.frameworks("jax")
def test_a_test_gets_no_environment_that_it_does_not_name() -> None:
    with pytest.raises(NotNamed, match="pytorch"):
        ensure(frameworks()["pytorch"])


def test_a_command_that_a_test_starts_gets_none_either(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, STONE, "env", "install", "jax"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode != 0
    assert "this test uses the environment of jax" in ended.stderr


def test_rooms_without_an_environment_of_their_own_need_no_name() -> None:
    assert ensure(frameworks()["null"]).python == Path(sys.executable)


@pytest.mark.frameworks
@pytest.mark.parametrize("dialect", ["keras3/jax"])
def test_a_dialect_among_the_parameters_names_its_framework(
    dialect: str, request: pytest.FixtureRequest
) -> None:
    assert needed(request.node) == {"keras3-jax"}
    assert request.node.get_closest_marker("every_framework")


@pytest.mark.frameworks("pytorch", "tensorflow", "mxnet", "jax")
def test_the_default_frameworks_are_no_more_than_a_contributor_has(
    request: pytest.FixtureRequest,
) -> None:
    assert needed(request.node) == DEFAULT
    assert not request.node.get_closest_marker("every_framework")
