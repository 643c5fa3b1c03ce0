"""What the rounds so far say of those to come: how many turns are worth it, how long it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tensorstone.analysis.scores import Scores
from tensorstone.analysis.variance_components import (
    Components,
    Prices,
    best_turns,
    components,
    seconds_needed,
)
from tensorstone.race.group_run import FEWEST_TURNS, MOST_TURNS
from tensorstone.results.trial import Trial

CHOICES = range(FEWEST_TURNS, MOST_TURNS + 1)


@dataclass(frozen=True)
class Effort:
    """For the pair that varies most."""

    spread: Components
    prices: Prices  # of starting everyone once, and of a turn of everyone

    def best_turns(self, precision: float, budget_s: float) -> int:
        return best_turns(self.spread, self.prices, precision, budget_s, CHOICES)

    def affordable_turns(self, left_s: float) -> int:
        """How many fit into one more round that takes so long."""
        return int((left_s - self.prices.restart_s) / self.prices.turn_s)

    def seconds_needed(self, precision: float) -> float:
        """Until the widest ratio can be expected to be known within this."""
        return min(seconds_needed(self.spread, turns, self.prices, precision) for turns in CHOICES)


def effort(
    scores: Scores, trials: Sequence[Trial], anchor: str, others: Sequence[str]
) -> Effort | None:
    """From at least two rounds of whoever is compared with the anchor; its A/A control, if nobody
    is."""
    there = set(scores.names)
    met = [scores.turns(name, anchor) for name in others if {name, anchor} <= there]
    if not met and anchor in scores.controlled("aa-control"):
        met = [scores.control_turns(anchor)]
    found = [spread for turns in met if (spread := components(list(turns.values())))]
    if not found:
        return None
    latest = {trial.racer: trial for trial in trials if trial.outcome.ok and trial.blocks}
    restart_s = sum(
        max(0.0, trial.training_s - len(trial.blocks) * trial.turn_s) for trial in latest.values()
    )
    turn_s = sum(trial.turn_s for trial in latest.values())
    widest = max(found, key=lambda spread: spread.error(FEWEST_TURNS))
    return Effort(widest, Prices(restart_s, turn_s))
