"""A worker at the end of two pipes, and a program whose numbers can be followed."""

from __future__ import annotations

import json
import os
import select
import subprocess
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parents[2] / "src"
WORKER = SOURCE / "stone_worker"

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

def load(path):
    return {"w": np.load(path + ".npy")}
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


def loaded(line: Line, files: dict[str, str]) -> dict[str, Any]:
    return line.ok(
        "load",
        program=files["program"],
        bridge=files["bridge"],
        layers=[{"name": "fc"}],
        threads=3,
    )
