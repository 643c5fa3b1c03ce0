"""What other processes on the machine did to a race."""

from __future__ import annotations

from msgspec import Struct

# Long blocks resolve more than matters: a machine's own housekeeping takes some per cent of each
# processor. Never more than a quarter of one, so that a third is seen however many there are.
HOUSEKEEPING, MOST_HOUSEKEEPING = 0.05, 0.25


def housekeeping(processors: int) -> float:
    """What a machine's own may take, in processors."""
    return min(MOST_HOUSEKEEPING, HOUSEKEEPING * processors)


class BackgroundLoad(Struct, frozen=True):
    turns: int  # of all groups
    disturbed: int  # of them: for nobody do these count, unless hardly any others are left
    busy: float | None  # processors kept busy by others while contestants were stopped, the median

    def stays(self, processors: int) -> bool:
        """Whether the load was there throughout."""
        return self.busy is not None and self.busy > housekeeping(processors)
