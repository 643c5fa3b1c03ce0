"""Sessions in this process: rooms of the tests, folders and a machine of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cli.conftest import TESTS

from tensorstone.dialects import emit, registry
from tensorstone.ledger import Ledger
from tensorstone.models.load import find
from tensorstone.models.workload import Workload
from tensorstone.results.comparison import Comparison
from tensorstone.session.asking import compare_request, dialects
from tensorstone.session.comparing import compare
from tensorstone.session.watch import Unwatched
from tensorstone.support.machine_lock import OTHER_NAME

Compare = Callable[..., list[Comparison]]


def forget_rooms() -> None:
    """What was read of rooms in this process."""
    for value in [*vars(registry).values(), *vars(emit).values()]:
        if hasattr(value, "cache_clear"):
            value.cache_clear()


@pytest.fixture
def rooms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The rooms of the tests beside stone's own; nothing kept from elsewhere."""
    monkeypatch.setenv("STONE_ROOMS", str(TESTS / "rooms"))
    monkeypatch.setenv("STONE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("STONE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv(OTHER_NAME, f"stone-test-{tmp_path}"[-100:])
    forget_rooms()
    yield
    forget_rooms()


@pytest.fixture
def line(rooms: None) -> Workload:
    """A workload that the room `linear` can say."""
    return find(str(TESTS / "workloads" / "small_line.py"))


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger(tmp_path / "data" / "ledger.sqlite") as made:
        yield made


@pytest.fixture
def compared(rooms: None, ledger: Ledger) -> Compare:
    """Compare these workloads in these dialects, two rounds each."""

    def run(workloads: object, *names: str, **asked: object) -> list[Comparison]:
        request = compare_request(workloads, dialects(names), budget="1s", **asked)  # type: ignore[arg-type]
        return compare(request, ledger, Unwatched())

    return run
