"""Is a net that was saved and loaded still the same net? A level of the proof. Pure."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tensorstone.analysis import messages
from tensorstone.results.outcome import Outcome
from tensorstone.results.proof import Level, Proof
from tensorstone.results.trial import Trial

INCOMPARABLE = sys.float_info.max  # the error where nothing can be compared


def reload_level(proof: Proof | None, trials: Sequence[Trial]) -> Level | None:
    """The worst difference that any trial saw between predictions before saving and after a load,
    held to what the proof allowed prediction; None where there is nothing to hold."""
    tried = [trial.deployment for trial in trials if trial.deployment]
    errors = [found.reload_error for found in tried if found.reload_error is not None]
    if proof is None or "forward" not in proof.levels or not errors:
        return None
    worst, tolerance = max(errors), proof.levels["forward"].tolerance
    known = None if worst >= INCOMPARABLE else worst
    passed = known is not None and tolerance is not None and known <= tolerance
    return Level(known, tolerance, passed, "outputs")


def unequal(level: Level) -> Outcome:
    """What a cell is whose level did not pass."""
    return Outcome("unequal", messages.reloaded_differently(level.error, level.tolerance))
