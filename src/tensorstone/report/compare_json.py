"""What `stone compare --json` says of its races."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tensorstone.analysis.startup import STEPS
from tensorstone.report.sweep import sweep_json
from tensorstone.session.comparing import Comparison
from tensorstone.session.sweep import Point


def compared(
    points: Sequence[Point], sweeps: Sequence[Sequence[Point]], plots: Sequence[Path | None]
) -> dict[str, Any]:
    """Runs, their cells, and sweeps with their plots where a workload was raced more than once."""
    return {
        "runs": [
            {
                "workload": point.comparison.workload.name,
                "batch": point.batch,
                "threads": point.variant.threads,
                **_run(point.comparison),
            }
            for point in points
        ],
        "cells": [
            {**cell.to_json(), "run": point.comparison.run}
            for point in points
            for cell in point.comparison.cells
        ],
        "sweeps": [
            {**sweep_json(sweep), "plot": str(plot) if plot else None}
            for sweep, plot in zip(sweeps, plots, strict=True)
            if len(sweep) > 1
        ],
    }


def _run(done: Comparison) -> dict[str, Any]:
    return {
        "run": done.run,
        "rounds": done.rounds,
        "stopped": done.why,
        "resumed_trials": done.resumed,
        "itself": done.itself and asdict(done.itself),
        "others": asdict(done.others),
        "memory_kept": done.memory_kept,
        "unkept": done.unkept and {"dialect": done.unkept[0], **asdict(done.unkept[1])},
        "overtakings": [overtaking.to_json() for overtaking in done.overtakings],
        "totals": {
            name: [{"steps": n, **asdict(e)} for n, e in zip(STEPS, found, strict=True)]
            for name, found in done.totals.items()
        },
    }
