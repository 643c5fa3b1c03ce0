"""Controls: a contestant's program in a second process, the same again, or with the system's
allocator.

How far the first is from the contestant itself is noise (an A/A control). The second, where the C
library was told to keep freed memory, shows what that did.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tensorstone.race.plan import Contestant
from tensorstone.results.trial import Racer
from tensorstone.runtime.gauges import allocator


def controls(dialect: str, memory_kept: bool) -> list[Racer]:
    """A contestant's controls."""
    found = [Racer(dialect, "aa-control")]
    return [*found, Racer(dialect, "allocator-control")] if memory_kept else found


def contestant(racer: Racer, contestants: Mapping[str, Contestant]) -> Contestant:
    """What is started for a racer."""
    own = contestants[racer.dialect]
    if racer.role != "allocator-control":
        return replace(own, role=racer.role)
    invocation = own.invocation
    env = {key: value for key, value in invocation.env.items() if key not in allocator.NAMES}
    return replace(own, role=racer.role, invocation=replace(invocation, env=env))
