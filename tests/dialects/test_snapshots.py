"""Emitted sources of five workloads, kept so that a change to a room shows as a diff."""

from __future__ import annotations

import os
from difflib import unified_diff
from pathlib import Path

import pytest
from emitted import DIALECTS, flat_name, said_by, source

SNAPSHOTS = Path(__file__).parents[1] / "snapshots"
WORKLOADS = ("lenet", "cnn-cifar10", "googlenet", "gru-imdb", "bilstm-imdb")
UPDATE = "STONE_UPDATE_SNAPSHOTS"


def snapshot(workload: str, dialect: str) -> Path:
    return SNAPSHOTS / workload / f"{flat_name(dialect)}.py"


@pytest.mark.parametrize(
    ("workload", "dialect"),
    [(w, d.name) for w in WORKLOADS for d in DIALECTS if w in said_by(d.name)],
)
def test_the_program_is_the_one_that_was_reviewed(workload: str, dialect: str) -> None:
    path, text = snapshot(workload, dialect), source(workload, dialect)
    assert text is not None
    if os.environ.get(UPDATE) == "1":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return
    kept = path.read_text(encoding="utf-8") if path.exists() else ""
    if text != kept:
        diff = unified_diff(kept.splitlines(), text.splitlines(), "kept", "emitted", lineterm="")
        pytest.fail(
            "\n".join(diff) + f"\n\n{workload} in {dialect} reads differently now. "
            f"If that is what you meant: {UPDATE}=1 pytest {Path(__file__).name}, and review the "
            "diff of tests/snapshots.",
            pytrace=False,
        )


def test_no_snapshot_is_left_over() -> None:
    wanted = {snapshot(workload, dialect.name) for workload in WORKLOADS for dialect in DIALECTS}

    assert set(SNAPSHOTS.rglob("*.py")) <= wanted
