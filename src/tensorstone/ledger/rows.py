"""Between rows of the ledger and what was measured. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from tensorstone.bench.outcome import Outcome
from tensorstone.bench.results import Block, Trial

BLOCK_COLUMNS = tuple(field.name for field in fields(Block))


def block_of(row: Mapping[str, Any]) -> Block:
    return Block(**{name: row[name] for name in BLOCK_COLUMNS})


def trial_of(row: Mapping[str, Any], blocks: tuple[Block, ...]) -> Trial:
    return Trial(
        dialect=row["dialect"],
        round=row["round"],
        order=row["place"],
        outcome=Outcome(row["status"], row["reason"], row["last_words"]),
        version=row["version"],
        cold_import_s=row["cold_import_s"],
        cold_build_s=row["cold_build_s"],
        cold_first_step_s=row["cold_first_step_s"],
        warmup_steps=row["warmup_steps"],
        blocks=blocks,
        peak_rss_bytes=row["peak_rss_bytes"],
        cpu_use=row["cpu_use"],
        wall_s=row["wall_s"],
        notes=tuple(json.loads(row["notes"])),
    )
