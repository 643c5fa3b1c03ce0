"""What a race's controls showed: the A/A control's ratio, and the allocator's effect. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tensorstone.analysis.bootstrap import CLAIM, geometric
from tensorstone.analysis.ranking import FEWEST_TO_CLAIM, LOG_FACTOR_TWO, claimed
from tensorstone.analysis.scores import Scores
from tensorstone.results.comparison import Control
from tensorstone.results.estimate import Estimate
from tensorstone.results.trial import Role


def aa_control(scores: Scores) -> Control | None:
    """What the A/A control of a race showed; None if it had none."""
    for name, ratio in _controls(scores, "aa-control"):
        shown = [abs(math.log(value)) for value in scores.control_ratios(name).values()]
        if len(shown) < FEWEST_TO_CLAIM:  # one round in which equals are so far apart is enough
            return Control(name, ratio, max(shown) if max(shown) > LOG_FACTOR_TWO else 0.0)
        wrong = claimed(list(scores.control_ratios(name).values()), 0.0, CLAIM)
        return Control(name, ratio, abs(math.log(ratio.value)) if wrong else 0.0)
    return None


def allocator_effect(scores: Scores) -> tuple[str, Estimate] | None:
    """A contestant, and how much slower it was with the system's allocator."""
    return next(_controls(scores, "allocator-control"), None)


def _controls(scores: Scores, role: Role) -> Iterator[tuple[str, Estimate]]:
    """Contestants that ran in this role too, and its ratio to the contestant itself."""
    for name in scores.controlled(role):
        if ratios := scores.control_ratios(name, role):
            yield name, geometric(list(ratios.values()))
