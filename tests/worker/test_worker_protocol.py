"""The worker's contract, held to with nothing but a pipe: no host code is used here."""

from __future__ import annotations

import ast
import json
import os
import select
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

SOURCE = Path(__file__).parents[2] / "src"
WORKER = SOURCE / "stone_worker"
NULL = SOURCE / "tensorstone" / "dialects" / "null"

# A network whose numbers can be followed: weights move by minus the rate times the batch's mean.
PROGRAM = """
import numpy as np

print("loading", flush=True)

def network():
    return {"w": np.zeros(2)}

def learner(net):
    return {"net": net, "rate": 1.0}

def batches(x, y, batch_size):
    return [x[i : i + batch_size] for i in range(0, len(x) - batch_size + 1, batch_size)]

def train(learner, batches):
    losses = []
    for batch in batches:
        learner["net"]["w"] -= learner["rate"] * batch.mean(axis=0)
        losses.append(float(batch.sum()))
    return losses

def predict(net, x):
    return x @ net["w"]

def save(net, path):
    np.save(path, net["w"])
"""
BRIDGE = """
configured = []

def configure(threads):
    assert not configured, "twice"
    configured.append(threads)

def version(): return "1.%d" % configured[0]
def to_native(x): return x
def outputs(values): return values
def losses(values): return values
def read(net, layers): return {layers[0]["name"]: net["w"]}
def write(net, layers, arrays): net["w"] = arrays[layers[0]["name"]].copy()
def plain_sgd(learner, rate): return dict(learner, rate=rate)
def wait(learner_or_net): pass
"""


class Line:
    """A worker at the end of two pipes."""

    def __init__(self, command: list[str], cpus: str = "", **options: Any) -> None:
        child_in, self._out = os.pipe()
        self._in, child_out = os.pipe()
        arguments = [*command, str(child_in), str(child_out), *([cpus] if cpus else [])]
        self.process = subprocess.Popen(
            arguments, pass_fds=(child_in, child_out), stdout=subprocess.DEVNULL, **options
        )
        os.close(child_in)
        os.close(child_out)
        self._reader = os.fdopen(self._in, "rb")
        self.hello = self.receive()

    def receive(self) -> dict[str, Any]:
        assert select.select([self._in], [], [], 60)[0], "the worker says nothing"
        line = self._reader.readline().strip() or self._reader.readline()
        return json.loads(line)

    def send(self, line: bytes) -> None:
        os.write(self._out, line + b"\n")

    def ask(self, do: str, **fields: Any) -> dict[str, Any]:
        self.send(json.dumps({"do": do, **fields}).encode())
        return self.receive()

    def ok(self, do: str, **fields: Any) -> dict[str, Any]:
        answer = self.ask(do, **fields)
        assert "ok" in answer, answer
        return answer["ok"]

    def close(self) -> None:
        if self._out >= 0:
            os.close(self._out)
            self._out = -1
        self.process.wait(30)
        self._reader.close()


def old_pythons() -> list[str]:
    """Interpreters as old as the oldest framework needs, where the machine has them."""
    return sorted(map(str, Path.home().glob(".pyenv/versions/3.[67].*/bin/python")))


@pytest.fixture
def line() -> Iterator[Line]:
    opened = Line([sys.executable, "-u", "-s", str(WORKER / "__main__.py")])
    yield opened
    opened.close()


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "bridge.py").write_text(BRIDGE, encoding="utf-8")
    x = np.arange(20, dtype=np.float32).reshape(10, 2)
    np.savez(tmp_path / "data.npz", x=x, y=np.zeros(10, np.int64))
    np.savez(tmp_path / "weights.npz", fc=np.array([100.0, 200.0]))
    return {path.stem: str(path) for path in tmp_path.iterdir()}


def loaded(line: Line, files: dict[str, str]) -> dict[str, Any]:
    return line.ok(
        "load",
        program=files["program"],
        bridge=files["bridge"],
        layers=[{"name": "fc"}],
        threads=3,
    )


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
