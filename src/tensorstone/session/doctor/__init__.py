"""Is this machine fit to measure on? Findings in plain words, each with what to do about it."""

from __future__ import annotations

from tensorstone.results.machine import Machine
from tensorstone.results.run import Finding, Noise
from tensorstone.session.doctor import counting, moment, rooms, shell, standing, system
from tensorstone.session.doctor.watching import Watched, watch

__all__ = ["Finding", "Watched", "examine", "watch"]


def examine(machine: Machine, noise: Noise | None, watched: Watched | None = None) -> list[Finding]:
    """Everything that is looked at; `watched` is what `watch` saw, if there was time for it."""
    return [
        *standing.findings(machine),
        *moment.findings(machine, watched),
        *system.findings(),
        *shell.findings(),
        *counting.findings(),
        *rooms.findings(),
        *([_noise(noise)] if noise else []),
    ]


def _noise(noise: Noise) -> Finding:
    found = (
        f"the same program against itself: ratio {noise.ratio:.3f} in {noise.rounds} rounds; "
        f"differences below {noise.floor:.1%} are noise here"
    )
    if noise.floor > 0.05:
        return Finding("noise floor", "warning", found, "close other programs and measure again")
    return Finding("noise floor", "good", found)
