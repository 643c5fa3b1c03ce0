"""How the system treats memory: huge pages, swap, the allocator."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tensorstone.report.allocator import allocator_said
from tensorstone.results.run import Finding
from tensorstone.runtime.gauges import allocator, files

MUCH_SWAP = 256 * 2**20  # what lies swapped out on a machine that was never short is less


def findings(proc: Path = files.PROC, sys: Path = files.SYS) -> Iterator[Finding]:
    yield from _huge_pages(files.text(sys / "kernel/mm/transparent_hugepage/enabled") or "")
    yield from _swap(files.text(proc / "meminfo") or "")
    yield Finding("allocator", "good", allocator_said(False, allocator.library()))


def _huge_pages(setting: str) -> Iterator[Finding]:
    chosen = re.search(r"\[(\w+)\]", setting)
    if not chosen:
        return
    if chosen[1] == "never":
        yield Finding(
            "huge pages",
            "note",
            "never: programs that ask for them, as NumPy does, do not get them",
            "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled",
        )
    else:
        whom = {"always": "for everyone", "madvise": "for programs that ask"}
        yield Finding("huge pages", "good", f"{chosen[1]}: {whom.get(chosen[1], 'as the kernel')}")


def _swap(meminfo: str) -> Iterator[Finding]:
    kilobytes = dict(re.findall(r"^(Swap\w+):\s+(\d+) kB", meminfo, re.MULTILINE))
    if "SwapTotal" not in kilobytes or "SwapFree" not in kilobytes:
        return
    used = 1024 * (int(kilobytes["SwapTotal"]) - int(kilobytes["SwapFree"]))
    found = f"{used / 2**20:.0f} MiB in use" if used else "none in use"
    if used > MUCH_SWAP:
        advice = "memory was short: close what you can, then sudo swapoff -a && sudo swapon -a"
        yield Finding("swap", "warning", found, advice)
    else:
        yield Finding("swap", "good", found)
