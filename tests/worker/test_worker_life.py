"""The requests about feeding, predicting and living on, held to with nothing but a pipe."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from line import WORKER, Line, loaded

from stone_worker.calls import cut, time_calls
from stone_worker.iterating import NoLoader, exhaust, loader, slices


def ready(line: Line, files: dict[str, str]) -> None:
    loaded(line, files)
    line.ok("new", weights=files["weights"])
    line.ok("learner", sgd=None)


def test_what_is_saved_is_restored_by_another_process(
    line: Line, files: dict[str, str], tmp_path: Path
) -> None:
    ready(line, files)
    line.ok("train", data=files["data"], batch=4)
    out, saved = str(tmp_path / "out"), str(tmp_path / "saved")
    line.ok("predict", data=files["data"], out=out)
    with np.load(out) as arrays:
        before = arrays["outputs"]
    line.ok("save", path=saved)
    other = Line([sys.executable, str(WORKER / "__main__.py")])
    loaded(other, files)
    assert other.ok("restore", path=saved)["wall_s"] >= 0
    other.ok("predict", data=files["data"], out=out)
    with np.load(out) as arrays:
        assert np.array_equal(arrays["outputs"], before)
    assert other.ask("train", data=files["data"], batch=4)["error"]["kind"] == "protocol"
    other.close()


def test_calls_are_timed_one_by_one(line: Line, files: dict[str, str]) -> None:
    loaded(line, files)
    asked = {"data": files["data"], "seconds": 60, "most": 7}
    assert line.ask("calls", **asked, batch=1)["error"]["message"] == "new is needed first"
    line.ok("new", weights=files["weights"])
    answer = line.ok("calls", **asked, batch=1)
    assert answer["first_s"] > 0 and len(answer["calls_s"]) == 7
    assert "holds no 11 samples" in line.ask("calls", **asked, batch=11)["error"]["message"]


def test_a_loader_is_iterated_as_often_as_a_block(line: Line, files: dict[str, str]) -> None:
    ready(line, files)
    asked = {"steps": 5000, "times": 2}
    assert line.ask("iterate", **asked, workers=0)["error"]["message"] == "feed is needed first"
    line.ok("feed", data=files["data"], batch=3)
    answer = line.ok("iterate", **asked, workers=0)
    assert answer["batches"] == answer["slices"] == 5000
    assert len(answer["walls_s"]) == len(answer["slice_walls_s"]) == 2
    assert line.ok("iterate", **asked, workers=2) == {
        "absent": "its batches cannot be made by other processes"
    }


def test_a_prediction_is_over_when_its_values_are_there() -> None:
    """The arguments go round; the first call is apart and the warm-up is not kept."""
    seen: list[int] = []
    first_s, calls_s = time_calls(seen.append, [1, 2, 3], seconds=0.0, most=100)
    assert first_s >= 0 and len(calls_s) == 2
    assert seen == [1, 2, 3, 1]


def test_whole_batches_are_cut() -> None:
    x = np.arange(10)
    assert [part.tolist() for part in cut(x, 4, 99)] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert len(cut(x, 1, 3)) == 3
    assert [part.tolist() for part, _ in slices(x, x, 4)] == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_the_last_batch_is_waited_for() -> None:
    waited: list[object] = []
    count, wall_s = exhaust([[1, 2], iter([3])], waited.append)
    assert (count, waited) == (3, [3]) and wall_s >= 0
    for nothing in (7, []):
        with pytest.raises(NoLoader):
            exhaust([nothing], waited.append)


def test_workers_are_handed_to_a_loader_that_takes_them() -> None:
    def batches(x: str, y: str, batch_size: int, workers: int = 0) -> tuple[str, str, int, int]:
        return x, y, batch_size, workers

    assert loader(batches, 0) is batches
    assert loader(batches, 2)("x", "y", 3) == ("x", "y", 3, 2)
