"""What the rounds so far say of those to come: how many turns are worth it, how long it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tensorstone.bench.components import Components, best_turns, components, seconds_needed
from tensorstone.bench.controls import AGAIN
from tensorstone.bench.results import Trial
from tensorstone.bench.scores import Scores
from tensorstone.bench.sitting import FEWEST_TURNS, MOST_TURNS


@dataclass(frozen=True)
class Outlook:
    """For the pair that varies most."""

    spread: Components
    restart_s: float  # starting everyone once
    turn_s: float  # a block of everyone

    @property
    def best_turns(self) -> int:
        return best_turns(self.spread, self.restart_s, self.turn_s, FEWEST_TURNS, MOST_TURNS)

    def affordable_turns(self, left_s: float) -> int:
        """How many fit into one more round that takes so long."""
        return int((left_s - self.restart_s) / self.turn_s)

    def seconds_needed(self, precision: float) -> float:
        """Until the widest ratio can be expected to be known within this."""
        return seconds_needed(self.spread, self.best_turns, self.restart_s, self.turn_s, precision)


def outlook(trials: Sequence[Trial], anchor: str, others: Sequence[str]) -> Outlook | None:
    """From at least two rounds of whoever is compared with the anchor; its twin, if nobody is."""
    scores = Scores(trials)
    pairs = [name for name in others if name in scores.names] or [anchor + AGAIN]
    found = [
        spread
        for name in pairs
        if name in scores.names
        and (spread := components(list(scores.turns(name, anchor).values())))
    ]
    if not found:
        return None
    latest = {trial.dialect: trial for trial in trials if trial.outcome.ok and trial.blocks}
    restart_s = sum(
        max(0.0, trial.training_s - len(trial.blocks) * trial.block_s) for trial in latest.values()
    )
    turn_s = sum(trial.block_s for trial in latest.values())
    widest = max(found, key=lambda spread: spread.between**2 + spread.within**2 / FEWEST_TURNS)
    return Outlook(widest, restart_s, turn_s)
