"""Second seats of a contestant, for control: the same again, and the same with memory not kept.

How far the first is from the contestant itself is noise. The second, where the C library was told
to keep freed memory, shows what that did.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tensorstone.race.plan import Contestant
from tensorstone.runtime.gauges import allocator

AGAIN, UNKEPT = " (again)", " (memory not kept)"


def names(contestant: str, memory_kept: bool) -> list[str]:
    """What its second seats are called."""
    return [contestant + AGAIN, *([contestant + UNKEPT] if memory_kept else [])]


def original(name: str) -> str:
    """Whose seat this is."""
    return name.removesuffix(AGAIN).removesuffix(UNKEPT)


def seated(name: str, contestants: Mapping[str, Contestant]) -> Contestant:
    """Who sits there."""
    contestant = replace(contestants[original(name)], dialect=name)
    if not name.endswith(UNKEPT):
        return contestant
    invocation = contestant.invocation
    env = {key: value for key, value in invocation.env.items() if key not in allocator.NAMES}
    return replace(contestant, invocation=replace(invocation, env=env))
