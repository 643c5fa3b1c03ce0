"""A dry run says what would be done and does none of it."""

from __future__ import annotations

from pathlib import Path

from cli.conftest import SMALL, Stone


def test_every_cell_and_the_time(stone: Stone, tmp_path: Path) -> None:
    said = stone("compare", SMALL, "gru-imdb", "-d", "null,cntk/layers", "--dry-run", "--json")
    assert said.code == 0
    assert said.json["dry_run"] is True and said.json["timing_s"] == 2 * 300
    cells = {(cell["workload"], cell["dialect"]): cell for cell in said.json["cells"]}
    assert cells["small-cnn", "null/nothing"]["will"] == "time"
    left_out = cells["gru-imdb", "cntk/layers"]
    assert left_out["will"] == "leave out"
    assert left_out["reason"] == "unsupported: gru1: CNTK's GRU has one bias, not two"
    assert not (tmp_path / "data").exists(), "nothing was kept"


def test_nothing_is_installed(stone: Stone, tmp_path: Path) -> None:
    cache = tmp_path / "empty"
    said = stone("compare", SMALL, "-d", "jax", "--dry-run", STONE_CACHE=str(cache))
    assert said.code == 0 and "install and time" in said.out
    assert "Timing takes 5 min (5 min a race)" in said.out
    assert not list(cache.rglob("bin/python"))


def test_options_given_again_accumulate(stone: Stone) -> None:
    lists = ("-d", "null", "--dialects", "cntk", "--batch", "1", "--batch", "2", "--threads", "1")
    said = stone("compare", SMALL, *lists, "--dry-run", "--json")
    cells = {(cell["workload"], cell["dialect"]) for cell in said.json["cells"]}
    assert cells == {
        (f"small-cnn-batch{size}", dialect)
        for size in (1, 2)
        for dialect in ("null/nothing", "cntk/layers")
    }


def test_a_training_is_only_said(stone: Stone, tmp_path: Path) -> None:
    words = ("train", "lenet", "-d", "null", "--batch", "50", "--batch", "200,50", "--seeds", "2")
    said = stone(*words, "--dry-run", "--json", STONE_CACHE=str(tmp_path / "cache"))
    assert said.code == 0, said.err
    assert said.json["missing_data"] == ["mnist"] and said.json["seeds"] == 2
    rows = [(cell["workload"], cell["will"], cell["epochs"]) for cell in said.json["cells"]]
    assert rows == [("lenet-batch50", "train", 15), ("lenet-batch200", "train", 15)]
    assert not (tmp_path / "data").exists(), "nothing was kept"
    text = stone(*words, "--dry-run", STONE_CACHE=str(tmp_path / "cache")).out
    assert "run stone data get mnist" in text and "lenet-batch50: epochs 15, seeds 2" in text
