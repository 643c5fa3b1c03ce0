"""What a moment of watching says: stolen time, other people's load, drifting clocks and heat."""

from __future__ import annotations

import os
from collections.abc import Iterator

from tensorstone.results.machine import Machine
from tensorstone.results.run import Finding
from tensorstone.runtime.gauges.background import disturbed
from tensorstone.session.doctor.watching import Watched

STOLEN = 0.01  # of the time: more shows in any race
DRIFT = 0.05  # of the clock: what is called a difference elsewhere
HOT_C, RISE_C = 90.0, 5.0  # where processors begin to slow down; a rise that is not yet at its end
NOTEWORTHY = 0.05  # of a processor: below this a process is not worth naming


def findings(machine: Machine, watched: Watched | None) -> Iterator[Finding]:
    if watched is None or watched.background_load is None:
        yield _load_average(machine)
    else:
        yield _load(machine, watched, watched.background_load)
    if watched is None:
        return
    if watched.stolen is not None:
        yield _stolen(watched.stolen)
    if watched.mhz:
        yield _clock(watched.mhz)
    if watched.celsius:
        yield _heat(watched.celsius)


def _load_average(machine: Machine) -> Finding:
    load = os.getloadavg()[0]
    found = f"{load:.1f} processes are running"
    if load > 0.3 * len(machine.affinity):
        return Finding("other load", "warning", found, "close other programs")
    return Finding("other load", "good", found)


def _load(machine: Machine, watched: Watched, background_load: float) -> Finding:
    found = f"others keep {background_load:.2f} of {machine.logical_cores} processors busy"
    names = [f"{name} {used:.2f}" for name, used in watched.busiest if used >= NOTEWORTHY]
    if names:
        found += f": {', '.join(names)}"
    if not disturbed(background_load, watched.wall_s, machine.logical_cores):
        return Finding("other load", "good", found)
    advice = "close them, or wait until they are done"
    if not names:
        advice = "no visible process causes it: look in other containers or on the host"
    return Finding("other load", "warning", found, advice)


def _stolen(stolen: float) -> Finding:
    found = f"the hypervisor gave {stolen:.1%} of the processors' time to others"
    if stolen > STOLEN:
        advice = "measure when the host is less busy, raise --budget, or use a dedicated machine"
        return Finding("stolen time", "warning", found, advice)
    return Finding("stolen time", "good", found)


def _clock(mhz: tuple[float, ...]) -> Finding:
    low, high = min(mhz), max(mhz)
    found = f"a busy processor ran at {low:.0f} to {high:.0f} MHz"
    if low < (1 - DRIFT) * high:
        advice = "fix the clock: sudo cpupower frequency-set -g performance, and boost off"
        return Finding("clock drift", "warning", found, advice)
    return Finding("clock drift", "good", found)


def _heat(celsius: tuple[float, ...]) -> Finding:
    first, last = celsius[0], celsius[-1]
    found = f"the hottest sensor went from {first:.0f} to {last:.0f} °C"
    if max(celsius) >= HOT_C or last - first >= RISE_C:
        advice = "let it cool down, and check its fans: hot processors slow down"
        return Finding("temperature", "warning", found, advice)
    return Finding("temperature", "good", found)
