"""The worker's contract, held to with nothing but a pipe: no host code is used here."""

from __future__ import annotations

import ast
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from line import SOURCE, WORKER, Line, loaded

NULL = SOURCE / "tensorstone" / "dialects" / "null"


def old_pythons() -> list[str]:
    """Interpreters as old as the oldest framework needs, where the machine has them."""
    return sorted(map(str, Path.home().glob(".pyenv/versions/3.[67].*/bin/python")))


def test_source_is_readable_to_python_3_6() -> None:
    for path in [*WORKER.glob("*.py"), NULL / "bridge.py", NULL / "program.py.jinja"]:
        ast.parse(path.read_text(encoding="utf-8"), str(path), feature_version=(3, 6))


def test_a_whole_conversation(line: Line, files: dict[str, str], tmp_path: Path) -> None:
    assert line.hello["hello"] == 1
    answer = loaded(line, files)
    assert answer["version"] == "1.3" and answer["import_s"] > 0
    assert line.ok("new", weights=files["weights"])["build_s"] >= 0
    assert line.ok("learner", sgd=None)["build_s"] >= 0

    answer = line.ok("train", data=files["data"], batch=4, steps=1)
    assert answer["losses"] == [28.0]
    out = tmp_path / "out"
    assert line.ok("read", out=str(out)) == {}
    with np.load(out) as arrays:
        assert arrays["fc"].tolist() == [97.0, 196.0]

    line.ok("new", weights=files["weights"])
    line.ok("learner", sgd=0.5)
    assert line.ok("train", data=files["data"], batch=4)["losses"] == [28.0, 92.0]
    line.ok("read", out=str(out))
    with np.load(out) as arrays:
        assert arrays["fc"].tolist() == [93.0, 192.0]

    assert line.ok("predict", data=files["data"], out=str(out))["wall_s"] >= 0
    with np.load(out) as arrays:
        assert arrays["outputs"].shape == (10,)
    saved = line.ok("save", path=str(tmp_path / "saved"))
    assert saved["bytes"] == (tmp_path / "saved.npy").stat().st_size
    assert line.ok("quit") == {}
    assert line.process.wait(30) == 0


def test_another_program_can_be_loaded(line: Line, files: dict[str, str]) -> None:
    loaded(line, files)
    line.ok("new", weights=None)
    assert loaded(line, files)["version"] == "1.3"
    assert line.ask("learner", sgd=None)["error"]["message"] == "new is needed first"


def test_a_block_runs_at_least_the_steps_asked_for(line: Line, files: dict[str, str]) -> None:
    loaded(line, files)
    line.ok("new", weights=None)
    line.ok("learner", sgd=None)
    held = line.ok("feed", data=files["data"], batch=3)
    assert held["steps"] == 4096 and held["bytes"] == 4096 * 3 * (8 + 8)
    for steps in (1, 2, 7, 4096, 5000):
        answer = line.ok("block", steps=steps)
        assert steps <= answer["steps"] <= steps + 1
        assert answer["wall_s"] > 0 and answer["cpu_s"] >= 0
        assert all(
            isinstance(answer[name], int)
            for name in ("minor_faults", "major_faults", "voluntary", "involuntary")
        )


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"do": "new", "weights": None}, "load is needed first"),
        ({"do": "dance"}, "there is no request 'dance'"),
        ({"do": "load"}, "load needs the field 'layers'"),
    ],
)
def test_a_senseless_request_is_refused_and_the_worker_lives(
    line: Line, request_: dict[str, Any], message: str
) -> None:
    error = line.ask(**request_)["error"]
    assert (error["kind"], error["message"]) == ("protocol", message)
    line.send(b"this is no JSON")
    assert line.receive()["error"]["kind"] == "protocol"
    assert line.ok("quit") == {}


def test_an_error_carries_the_end_of_its_traceback(line: Line, files: dict[str, str]) -> None:
    Path(files["program"]).write_text("import json\njson.loads('{')\n", encoding="utf-8")
    error = line.ask("load", program=files["program"], bridge=files["bridge"], layers=[], threads=1)
    assert error["error"]["kind"] == "exception"
    assert error["error"]["type"] == "JSONDecodeError"
    assert "program.py" in error["error"]["traceback"]


def test_a_program_rewritten_in_place_is_read_again(files: dict[str, str]) -> None:
    """Same size, same second: a cached bytecode file would still hold the old one."""
    path = Path(files["program"])
    for value in (1, 2):
        path.write_text(f"raise ValueError({value})\n", encoding="utf-8")
        os.utime(path, (1e9, 1e9))
        line = Line([sys.executable, str(WORKER / "__main__.py")])
        fields = {"program": str(path), "bridge": files["bridge"], "layers": [], "threads": 1}
        assert line.ask("load", **fields)["error"]["message"] == str(value)
        line.close()
    assert not (path.parent / "__pycache__").exists()


def test_the_worker_is_pinned_before_it_says_hello() -> None:
    cpu = min(os.sched_getaffinity(0))
    line = Line([sys.executable, str(WORKER / "__main__.py")], cpus=str(cpu))
    assert line.hello["cpus"] == [cpu]
    line.close()


def test_closing_the_pipe_ends_it(line: Line) -> None:
    line.close()
    assert line.process.returncode == 0
    assert not Path(f"/proc/{line.hello['pid']}").exists()


def test_it_runs_as_a_module_too() -> None:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    line = Line([sys.executable, "-m", "stone_worker"], env=environment)
    assert line.hello["hello"] == 1
    line.close()


def test_its_own_folder_is_not_on_the_search_path(files: dict[str, str], tmp_path: Path) -> None:
    """A copy of it is run: where stone itself is installed its folder may be on the path anyway."""
    shutil.copytree(WORKER, tmp_path / "copy" / "stone_worker")
    environment = {name: v for name, v in os.environ.items() if name != "PYTHONPATH"}
    script = tmp_path / "copy" / "stone_worker" / "__main__.py"
    line = Line([sys.executable, str(script)], env=environment)
    Path(files["program"]).write_text("import sys\nraise ValueError(sys.path)\n", encoding="utf-8")
    error = line.ask("load", program=files["program"], bridge=files["bridge"], layers=[], threads=1)
    assert error["error"]["type"] == "ValueError"
    assert str(tmp_path / "copy") not in error["error"]["message"]
    line.close()


@pytest.mark.parametrize("python", old_pythons())
def test_old_interpreters_run_it(python: str) -> None:
    line = Line([python, "-u", "-s", str(WORKER / "__main__.py")])
    program, bridge = str(NULL / "program.py.jinja"), str(NULL / "bridge.py")
    line.ok("load", program=program, bridge=bridge, layers=[], threads=1)
    line.ok("new", weights=None)
    line.ok("learner", sgd=None)
    assert line.ok("quit") == {}
    line.close()
