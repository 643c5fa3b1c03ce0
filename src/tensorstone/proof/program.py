"""A program under proof in its own process: the worker's requests behind the subject's methods."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np

from tensorstone.oracle import Arrays
from tensorstone.runtime.failure import Failure
from tensorstone.runtime.files import read_arrays
from tensorstone.runtime.process import Worker


class Mismatch(Exception):
    """The network's weights are not the model's; the message says which."""


class Programs:
    """A worker with which one program after another can be tried."""

    def __init__(self, worker: Worker, bridge: Path, threads: int, folder: Path, timeout_s: float):
        self.worker = worker
        self.folder = folder
        self.timeout_s = timeout_s
        self._bridge = bridge
        self._threads = threads
        self._numbers = itertools.count()

    def load(self, source: str, layers: list[dict[str, Any]]) -> RunningProgram:
        """Import the source as a program whose weighted layers are these."""
        path = self.file(".py")
        path.write_text(source, encoding="utf-8")
        answer = self.request(
            "load",
            program=str(path),
            bridge=str(self._bridge),
            layers=layers,
            threads=self._threads,
        )
        return RunningProgram(self, str(answer["version"]))

    def request(self, do: str, **fields: Any) -> dict[str, Any]:
        return self.worker.request(do, timeout_s=self.timeout_s, **fields)

    def file(self, suffix: str) -> Path:
        return self.folder / f"proof{next(self._numbers)}{suffix}"


class RunningProgram:
    """A loaded program as a subject (subject.py)."""

    def __init__(self, programs: Programs, version: str) -> None:
        self._programs = programs
        self.version = version  # of the framework

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The weights a fresh network has. Raises `Mismatch` where the bridge finds others."""
        self._programs.request("new", weights=None)
        try:
            return {name: array.shape for name, array in self.read().items()}
        except Failure as failure:
            if failure.alive and failure.outcome.status == "failed":
                raise Mismatch(failure.outcome.reason) from failure
            raise

    def start(self, weights: Arrays) -> None:
        path = self._written(weights)
        self._programs.request("new", weights=str(path))
        path.unlink()

    def learner(self, sgd: float | None) -> None:
        self._programs.request("learner", sgd=sgd)

    def train(self, x: np.ndarray, y: np.ndarray, batch: int) -> list[float]:
        path = self._written({"x": x, "y": y})
        answer = self._programs.request("train", data=str(path), batch=batch)
        path.unlink()
        return [float(loss) for loss in answer["losses"]]

    def predict(self, x: np.ndarray) -> np.ndarray:
        path, out = self._written({"x": x}), self._programs.file(".npz")
        self._programs.request("predict", data=str(path), out=str(out))
        path.unlink()
        return _taken(out, "predict", "outputs")["outputs"]

    def read(self) -> Arrays:
        out = self._programs.file(".npz")
        self._programs.request("read", out=str(out))
        return _taken(out, "read")

    def _written(self, arrays: Arrays) -> Path:
        path = self._programs.file(".npz")
        np.savez(path, **arrays)  # type: ignore[arg-type]
        return path


def _taken(path: Path, during: str, *wanted: str) -> Arrays:
    """The arrays of a file that is not needed again."""
    arrays = read_arrays(path, during, *wanted)
    path.unlink()
    return arrays
