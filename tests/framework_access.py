"""A test may use the environments of the frameworks it names, and of no others: so none installs
what nobody expects of it. The processes that a test starts are held to the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from os import environ

from tensorstone.dialects.registry import OWN_ROOMS
from tensorstone.runtime.environments import install
from tensorstone.runtime.environments.environment import Environment
from tensorstone.runtime.spec import EnvironmentSpec

ALLOWED = "FRAMEWORKS_THIS_TEST_NAMES"


class NotNamed(BaseException):
    """No handler of ours catches it, so the test fails whatever it runs."""

    def __init__(self, framework: str) -> None:
        super().__init__(
            f"this test uses the environment of {framework} and does not name it: "
            f'write @pytest.mark.frameworks("{framework}")'
        )


@contextmanager
def allowed(names: Iterable[str]) -> Iterator[None]:
    """While a test runs."""
    environ[ALLOWED] = ",".join(sorted(names))
    try:
        yield
    finally:
        del environ[ALLOWED]


def refuse_others() -> None:
    """From here on, in this process. Rooms of the tests' own, and rooms that run in stone's own
    environment, need no name."""
    looked_up = install.find

    def find(framework: EnvironmentSpec) -> Environment | None:
        installed = framework.python and framework.room.parent == OWN_ROOMS
        if installed and framework.name not in environ.get(ALLOWED, "").split(","):
            raise NotNamed(framework.name)
        return looked_up(framework)

    install.find = find
