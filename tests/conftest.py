"""What every test may use."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator, Iterator
from contextlib import contextmanager

import framework_marks
import pytest
from framework_access import allowed, refuse_others
from hypothesis import HealthCheck, settings
from stone_forks import Forks

from tensorstone.runtime.environments.interpreters import MissingInterpreter
from tensorstone.runtime.environments.system import MissingSystemPackages

# The same examples every time and no deadlines: a test must not depend on luck or on how busy the
# machine is. HYPOTHESIS_PROFILE=explore looks further.
settings.register_profile(
    "steady", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# Where tests are started in the background, Ctrl-C is ignored, and every process they start would
# ignore it too.
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


refuse_others()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    framework_marks.mark(items)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """A test uses the frameworks it names, its fixtures too."""
    with allowed(framework_marks.needed(item)):
        return (yield)


@pytest.fixture(scope="session")
def forks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forks]:
    made = Forks(tmp_path_factory.mktemp("stone"))
    yield made
    made.close()


@contextmanager
def what_is_missing_skips() -> Iterator[None]:
    """A framework that this machine cannot have is no failure of the test that wanted it."""
    try:
        yield
    except (MissingInterpreter, MissingSystemPackages) as missing:
        pytest.skip(f"{missing.message}; {missing.hint}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Generator[None, object, object]:
    with what_is_missing_skips():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, object, object]:
    with what_is_missing_skips():
        return (yield)
