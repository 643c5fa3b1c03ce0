"""Joules of the processor packages, as they count them themselves (RAPL).

Whole packages: whatever else runs there is in the figure. Memory, boards and GPUs are not. A
package's counter wraps to zero after some tens of minutes at full load: one wrap between two
readings is corrected, a second is not detected.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tensorstone.runtime import messages
from tensorstone.runtime.gauges import files

ROOT = files.SYS / "class/powercap"


@dataclass(frozen=True)
class EnergyReading:
    """Microjoules by package, and where each counter wraps."""

    packages: dict[str, int]
    ranges: dict[str, int]


def available(root: Path = ROOT) -> bool:
    return not why_not(root)


def why_not(root: Path = ROOT) -> str:
    """Why there are no joules here, or nothing when there are."""
    if not _packages(root):
        return messages.NO_ENERGY
    return messages.ENERGY_HIDDEN if hidden(root) else ""


def hidden(root: Path = ROOT) -> bool:
    """Whether there are counters that this user may not read."""
    return bool(_packages(root)) and reading(root) is None


def reading(root: Path = ROOT) -> EnergyReading | None:
    """All packages, or None: a sum over only some of them would be too low."""
    packages: dict[str, int] = {}
    ranges: dict[str, int] = {}
    for domain in _packages(root):
        used = files.number(domain / "energy_uj")
        full = files.number(domain / "max_energy_range_uj")
        if used is None or full is None:
            return None
        packages[domain.name], ranges[domain.name] = used, full
    return EnergyReading(packages, ranges) if packages else None


def joules(before: EnergyReading, after: EnergyReading) -> float | None:
    """What all packages used between two readings."""
    if before.packages.keys() != after.packages.keys():
        return None
    used = 0
    for name, end in after.packages.items():
        start = before.packages[name]
        used += end - start if end >= start else end - start + after.ranges[name]
    return used / 1e6


def _packages(root: Path) -> list[Path]:
    # intel-rapl:0 is a package (AMD's too); intel-rapl:0:1 is a part of it; one named psys is the
    # whole board, which holds the packages a second time.
    return [
        domain
        for domain in files.matching(root, "intel-rapl:*")
        if domain.name.count(":") == 1 and (files.text(domain / "name") or "").startswith("package")
    ]
