"""`stone diff` as a person runs it, on a real ledger of an earlier version."""

from __future__ import annotations

from pathlib import Path

import pytest
from old_ledger import unpack

from .conftest import Stone


@pytest.fixture(autouse=True)
def ledger(tmp_path: Path) -> Path:
    return unpack(tmp_path / "data")


def test_two_races_are_held_against_each_other(stone: Stone) -> None:
    said = stone("diff", "1", "4")
    assert said.code == 0, said.err
    rows = {line.split()[0]: line for line in said.out.splitlines() if "/e" in line.split(" ")[0]}
    assert "no difference shown" in rows["mlx/eager"]
    assert "memory_kept True → False" in said.out.replace("\n", " ")
    assert "ratio: run 4 / run 1" in said.out.replace("\n", " ")
    assert "fewer than 4" in said.out.replace("\n", " ")


def test_as_json_it_says_the_same(stone: Stone) -> None:
    said = stone("diff", "1", "latest", "--json").json
    assert (said["old"]["run"], said["new"]["run"]) == (1, 4)
    cells = {cell["dialect"]: cell for cell in said["cells"]}
    eager = cells["mlx/eager"]
    assert eager["ratio"]["value"] == pytest.approx(eager["new"]["step_s"] / eager["old"]["step_s"])
    assert eager["differs"] is False
    assert cells["mlx/compile"]["new"]["status"] is None, "it was not in that run"
    assert {"what": "budget_s", "old": "15", "new": "60"} in said["changes"]
    assert "text" not in eager
    assert "text" in stone("diff", "1", "4", "--text", "--json").json["cells"][0]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("1", "2"), "run 1 is compare mlp-regression, run 2 is compare lstm-series"),
        (("1", "3"), "run 1 is compare mlp-regression, run 3 is train mlp-regression"),
        (("4", "latest"), "are the same run"),
        (("1", "9"), "there is no run '9'"),
    ],
)
def test_what_cannot_be_compared_is_said(stone: Stone, words: tuple[str, ...], said: str) -> None:
    done = stone("diff", *words)
    assert done.code == 2 and said in done.err and done.out == ""
