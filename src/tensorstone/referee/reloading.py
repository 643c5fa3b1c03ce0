"""Is a net that was saved and loaded still the same net? A level of the proof. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tensorstone.bench.outcome import Outcome
from tensorstone.bench.results import Trial


def reload_level(proof: Mapping[str, Any] | None, trials: Sequence[Trial]) -> dict[str, Any] | None:
    """The worst difference that any trial saw between predictions before saving and after a load,
    held to what the proof allowed prediction; None where there is nothing to hold."""
    errors = [t.life.reload_error for t in trials if t.life and t.life.reload_error is not None]
    if proof is None or not errors:
        return None
    worst, tolerance = max(errors), proof["forward"]["tolerance"]
    return {
        "error": worst if math.isfinite(worst) else None,  # JSON has no infinity
        "tolerance": tolerance,
        "passed": worst <= tolerance,
        "worst": "outputs",
    }


def unequal(level: Mapping[str, Any]) -> Outcome:
    """What a cell is whose level did not pass."""
    error = level["error"]
    off = "cannot be compared with" if error is None else f"are off by {error:.1e} from"
    return Outcome(
        "unequal",
        f"reload: predictions after saving and loading {off} those before, "
        f"{level['tolerance']:.1e} is allowed",
    )
