"""Between rows of the ledger and what was measured. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from tensorstone.results.epoch import Epoch
from tensorstone.results.outcome import Outcome
from tensorstone.results.trial import Block, Feeding, Life, Trial

BLOCK_COLUMNS = tuple(field.name for field in fields(Block))
EPOCH_COLUMNS = tuple(field.name for field in fields(Epoch))


def block_of(row: Mapping[str, Any]) -> Block:
    columns = {name: row[name] for name in BLOCK_COLUMNS}
    return Block(**{**columns, "disturbed": bool(row["disturbed"])})


def epoch_of(row: Mapping[str, Any]) -> Epoch:
    return Epoch(**{name: row[name] for name in EPOCH_COLUMNS})


def trial_of(row: Mapping[str, Any], blocks: tuple[Block, ...]) -> Trial:
    return Trial(
        dialect=row["dialect"],
        round=row["round"],
        order=row["place"],
        group=row["group"],
        outcome=Outcome(row["status"], row["reason"], row["last_words"]),
        version=row["version"],
        cold_import_s=row["cold_import_s"],
        cold_build_s=row["cold_build_s"],
        cold_first_step_s=row["cold_first_step_s"],
        warmup_steps=row["warmup_steps"],
        warmup_s=row["warmup_s"],
        blocks=blocks,
        peak_rss_bytes=row["peak_rss_bytes"],
        private_bytes=row["private_bytes"],
        running_threads=row["running_threads"],
        gpu_bytes=row["gpu_bytes"],
        cpu_use=row["cpu_use"],
        others_busy=row["others_busy"],
        wall_s=row["wall_s"],
        notes=tuple(json.loads(row["notes"])),
        feeding=_feeding(row["feeding"]),
        worked_feeding=_feeding(row["worked_feeding"]),
        life=_life(row["life"]),
    )


def packed(part: Feeding | Life | None) -> str | None:
    """A part of a trial as the JSON of one column."""
    return None if part is None else json.dumps(asdict(part))


def _feeding(text: str | None) -> Feeding | None:
    return None if text is None else Feeding(**_tuples(json.loads(text)))


def _life(text: str | None) -> Life | None:
    if text is None:
        return None
    kept = _tuples(json.loads(text))
    return Life(**{**kept, "outcome": Outcome(**kept["outcome"])})


def _tuples(kept: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(v) if isinstance(v, list) else v for key, v in kept.items()}
