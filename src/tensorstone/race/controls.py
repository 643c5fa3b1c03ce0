"""Controls: a contestant's program in a second process, the same again, or with the system's
allocator.

How far the first is from the contestant itself is noise (an A/A control). The second, where the C
library was told to keep freed memory, shows what that did; it is proven under its own conditions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tensorstone.race.plan import Contestant
from tensorstone.results.trial import Racer


def controls(contestant: Contestant) -> list[Racer]:
    """A contestant's controls."""
    found = [Racer(contestant.dialect, "aa-control")]
    if contestant.system_allocator:
        found.append(Racer(contestant.dialect, "allocator-control"))
    return found


def contestant(racer: Racer, contestants: Mapping[str, Contestant]) -> Contestant:
    """What is started for a racer."""
    own = contestants[racer.dialect]
    if racer.role == "allocator-control" and own.system_allocator:
        own = own.system_allocator
    return replace(own, role=racer.role)
