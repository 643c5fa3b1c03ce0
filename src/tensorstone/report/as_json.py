"""What `--json` prints of results: one shape, whether just measured or read again."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

from tensorstone.analysis.fit import Fit
from tensorstone.analysis.startup import STEPS
from tensorstone.analysis.sweep import fits, sweeps
from tensorstone.report.machine import machine_json
from tensorstone.report.sweep import is_line, names
from tensorstone.report.training import TRIVIAL_MODELS
from tensorstone.results.codec import plain
from tensorstone.results.comparison import (
    Assembled,
    Cell,
    Comparison,
    CurvePoint,
    Examination,
    Overtaking,
    Training,
)
from tensorstone.results.estimate import Estimate
from tensorstone.results.metrics import unit
from tensorstone.results.proof import Level, Proof
from tensorstone.results.run import RunFacts
from tensorstone.results.settings import RaceSettings, TrainingSettings

PROOF_FACTS = ("diagnosis", "first_layer", "detail", "conventions", "excluded")


def results_json(results: Sequence[Assembled], arrays: bool = False) -> dict[str, Any]:
    """The machine, runs, cells and sweeps of results; `arrays`: with every array's error."""
    facts = results[0].facts
    comparisons = [result for result in results if isinstance(result, Comparison)]
    found: dict[str, Any] = {
        "machine": machine_json(facts.machine, facts.noise_floor),
        "runs": [run_json(result) for result in results],
        "cells": [
            {**said, "run": result.facts.number}
            for result in results
            for said in cells_json(result, arrays)
        ],
    }
    if comparisons:
        found["sweeps"] = [_sweep(points) for points in sweeps(comparisons) if len(points) > 1]
    for result in results:
        if isinstance(result, Examination):
            found["findings"] = plain(result.findings)
            found["noise"] = plain(result.noise)
    return found


def run_json(result: Assembled) -> dict[str, Any]:
    """How a run was run; its cells are said apart."""
    facts = result.facts
    said: dict[str, Any] = {
        "run": facts.number,
        "uuid": facts.uuid,
        "command": facts.command,
        "words": list(facts.words),
        "version": facts.version,
        "workload": facts.workload.name,
        "batch": facts.workload.batch,
        "threads": facts.threads,
        "noise_floor": facts.noise_floor,
        "started": facts.started,
        "finished": facts.finished,
        "status": facts.status,
        "resumed_trials": facts.resumed,
    }
    match result:
        case Comparison():
            said |= _race(result)
        case Training():
            said |= _training(result)
    return said


def cells_json(result: Assembled, arrays: bool = False) -> list[dict[str, Any]]:
    metric = result.facts.workload.metric
    if isinstance(result, Training):
        return [
            {
                **(said := cell_json(one.cell, metric, arrays)),
                "metrics": {
                    **said["metrics"],
                    "epochs": [epoch_json(point, metric) for point in one.curve],
                },
                "seeds": list(one.finals),
            }
            for one in result.trained
        ]
    return [cell_json(cell, metric, arrays) for cell in result.cells]


def epoch_json(point: CurvePoint, metric: str) -> dict[str, Any]:
    """An epoch; its figures are said like every other figure."""
    figures = {
        "loss": (point.loss, "loss"),
        "metric": (point.metric, metric),
        "epoch_s": (point.epoch_s, "s"),
        "train_s": (point.train_s, "s"),
    }
    said = {key: {**estimate_json(found), "unit": one} for key, (found, one) in figures.items()}
    return {"epoch": point.epoch, **said}


def cell_json(cell: Cell, metric: str = "", arrays: bool = False) -> dict[str, Any]:
    """One cell; `metric` is what its final metric is."""
    return {
        "workload": cell.workload,
        "dialect": cell.dialect,
        "framework": cell.framework,
        "version": cell.version,
        "lane": cell.lane,
        "status": cell.status,
        "reason": cell.reason,
        "last_output": cell.outcome.last_output,
        "alias_of": cell.alias_of or None,
        "proof": cell.proof and proof_json(cell.proof, arrays),
        "metrics": {
            key: {**estimate_json(found), "unit": unit(key, metric)}
            for key, found in cell.metrics.items()
        },
        "rank": cell.rank,
        "ratio": cell.ratio and estimate_json(cell.ratio),
        "notes": list(cell.notes),
        "deployment": cell.deployment and plain(cell.deployment),
        "known_defect": cell.known_defect,
    }


def proof_json(proof: Proof, arrays: bool = False) -> dict[str, Any]:
    """Each level, then the diagnosis, then what it was proven under."""
    levels = {name: _level(level, arrays) for name, level in proof.levels.items()}
    about = {key: plain(getattr(proof, key)) for key in PROOF_FACTS}
    return {**levels, **about, "program": proof.program_sha, "conditions": plain(proof.conditions)}


def estimate_json(found: Estimate) -> dict[str, Any]:
    """`low` and `high` mean what `kind` says."""
    return {
        "value": _finite(found.value),
        "low": _finite(found.low),
        "high": _finite(found.high),
        "samples": found.n,
        "kind": found.kind,
    }


def _level(level: Level, arrays: bool) -> dict[str, Any]:
    said = {key: getattr(level, key) for key in ("error", "tolerance", "passed", "worst", "reason")}
    return {**said, "arrays": plain(level.arrays)} if arrays else said


def _race(done: Comparison) -> dict[str, Any]:
    settings = done.facts.settings
    effect = done.allocator_effect
    return {
        "rounds": done.rounds,
        "stopped": done.facts.why,
        "control": done.control
        and {
            "dialect": done.control.dialect,
            "ratio": estimate_json(done.control.ratio),
            "margin": done.control.margin,
        },
        "background": plain(done.background),
        "memory_kept": isinstance(settings, RaceSettings) and settings.memory_kept,
        "allocator_effect": effect and {"dialect": effect[0], **estimate_json(effect[1])},
        "pairs": [
            {
                "slower": pair.slower,
                "faster": pair.faster,
                "differs": pair.differs,
                **estimate_json(pair.ratio),
            }
            for pair in done.pairs
        ],
        "overtakings": [_overtaking(one) for one in done.overtakings],
        "totals": {
            name: [
                {"steps": steps, **estimate_json(total)}
                for steps, total in zip(STEPS, found, strict=True)
            ]
            for name, found in done.totals.items()
        },
    }


def _overtaking(one: Overtaking) -> dict[str, Any]:
    return {
        "ahead": one.ahead,
        "then": one.then,
        "steps": one.after.steps,
        "low": _finite(one.after.low),
        "high": _finite(one.after.high),
        "samples": one.after.n,
        "never": one.never,
    }


def _training(done: Training) -> dict[str, Any]:
    facts, settings = done.facts, done.facts.settings
    assert isinstance(settings, TrainingSettings)
    metric = facts.workload.metric
    return {
        "epochs": settings.epochs,
        "seeds": settings.seeds,
        "metric": metric,
        "target": done.target,
        "baseline": {
            "value": settings.baseline,
            "model": TRIVIAL_MODELS.get(metric, ""),
            "unbeaten_by": list(done.unbeaten_by),
        },
        "data": {
            "name": facts.workload.dataset,
            "note": settings.note,
            "train_samples": settings.train_samples,
            "test_samples": settings.test_samples,
        },
    }


def _sweep(points: Sequence[Comparison]) -> dict[str, Any]:
    lines = {name: fits(points, name) for name in names(points)} if is_line(points) else {}
    return {
        "workload": points[0].facts.workload.base,
        "points": [_point(point.facts) for point in points],
        "fits": {name: _fit(line) for name, line in lines.items() if line},
    }


def _point(facts: RunFacts) -> dict[str, Any]:
    return {"batch": facts.workload.batch, "threads": facts.threads, "run": facts.number}


def _fit(line: Fit) -> dict[str, Any]:
    return {
        "fixed_s": estimate_json(line.fixed_s),
        "per_sample_s": estimate_json(line.per_sample_s),
        "worst": line.worst,
    }


def _finite(number: float | None) -> float | None:
    """JSON has no infinity."""
    return number if number is not None and isfinite(number) else None
