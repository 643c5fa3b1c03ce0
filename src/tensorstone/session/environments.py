"""Frameworks' environments, as a person asks for them: made, listed, removed; a row for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from tensorstone.dialects.registry import Framework, frameworks, named, versions
from tensorstone.runtime.environments import listing, system
from tensorstone.runtime.environments.environment import find
from tensorstone.runtime.environments.install import ensure
from tensorstone.support.errors import StoneError
from tensorstone.support.progress import Progress

Row = dict[str, Any]


def chosen(names: Sequence[str]) -> list[Framework]:
    """The frameworks of these names that have an environment; `all` is every one."""
    everything = list(frameworks().values())
    meant = everything if "all" in names else [f for name in names for f in named(name)]
    return list({framework.name: framework for framework in meant if framework.python}.values())


def install(
    names: Sequence[str],
    with_system: bool,
    progress: Callable[[], Progress],
    failed: Callable[[StoneError], None],
) -> list[Row]:
    """Make them; `failed` hears at once of each that cannot be had, and its row has the reason."""
    wanted, reasons = chosen(names), {}
    if with_system:
        system.install(wanted)
    for framework in wanted:
        try:
            ensure(framework, progress())
        except StoneError as error:  # one that cannot be had must not cost the others
            reasons[framework.name] = error.message
            failed(error)
    return [_row(framework) | {"reason": reasons.get(framework.name, "")} for framework in wanted]


def listed() -> list[Row]:
    """Every framework, and those other versions that are there."""
    return [_row(one) for one in [*chosen(["all"]), *filter(find, versions().values())]]


def named_rows(names: Sequence[str]) -> list[Row]:
    """Those that these names mean, as they are now."""
    return [_row(framework) for framework in chosen(names)]


def remove(names: Sequence[str]) -> Iterator[Row]:
    """Remove them, one after another; a row says how much room that gave back."""
    for framework in chosen(names):
        space = listing.remove(framework)
        freed = space.reclaimable
        yield _row(framework) | {"freed_bytes": freed, "linked_bytes": space.total - freed}


def _row(framework: Framework) -> Row:
    status = listing.status(framework)
    return asdict(status) | {"path": str(status.path)}
