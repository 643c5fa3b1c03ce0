"""What this machine can count besides time: instructions, energy, a GPU's memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from stone_worker import counters
from tensorstone.results.run import Finding
from tensorstone.runtime.gauges import energy, gpu


def findings() -> Iterator[Finding]:
    yield _instructions()
    yield _found(
        "energy",
        "joules of the processors",
        energy.why_not(),
        "sudo chmod a+r /sys/class/powercap/intel-rapl:*/energy_uj" if energy.hidden() else "",
    )
    yield _found(
        "GPU",
        "its memory and its use",
        gpu.why_not(),
        "with an NVIDIA GPU: install nvidia-ml-py in stone's environment; else nothing to do",
    )


def _instructions() -> Finding:
    possible: Callable[[], str] = counters.possible
    advice = ""
    try:
        counted, why_not = f"instructions executed in {possible()} code", ""
    except counters.Absent as reason:
        counted, why_not = "", str(reason)
        if isinstance(reason, counters.Forbidden):
            advice = "sudo sysctl kernel.perf_event_paranoid=1"
    return _found("instructions", counted, why_not, advice)


def _found(what: str, counted: str, why_not: str, advice: str) -> Finding:
    if why_not:
        return Finding(what, "note", f"not counted: {why_not}", advice)
    return Finding(what, "good", f"counted: {counted}")
