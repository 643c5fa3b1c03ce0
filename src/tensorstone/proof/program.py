"""A program under proof in its own process: the worker's requests behind the subject's methods."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any, Literal

import numpy as np

from tensorstone.oracle import Arrays
from tensorstone.runtime.failure import Failure
from tensorstone.runtime.files import read_arrays
from tensorstone.runtime.process import Worker

Precision = Literal["float32", "float64"]


class NoDouble(Exception):
    """The framework cannot compute in float64; the message says why."""


class Mismatch(Exception):
    """The network's weights are not the model's; the message says which."""


class Programs:
    """A worker with which one program after another can be tried."""

    def __init__(
        self,
        worker: Worker,
        bridge: Path,
        threads: int,
        folder: Path,
        timeout_s: float,
        precision: Precision = "float32",
    ):
        self.worker = worker
        self.folder = folder
        self.timeout_s = timeout_s
        self.precision = precision
        self._bridge = bridge
        self._threads = threads
        self._numbers = itertools.count()

    def load(self, source: str, layers: list[dict[str, Any]]) -> RunningProgram:
        """Import the source as a program whose weighted layers are these. Raises `NoDouble`."""
        path = self.file(".py")
        path.write_text(source, encoding="utf-8")
        answer = self.request(
            "load",
            program=str(path),
            bridge=str(self._bridge),
            layers=layers,
            threads=self._threads,
            precision=self.precision,
        )
        if "absent" in answer:
            raise NoDouble(str(answer["absent"]))
        return RunningProgram(self, str(answer["version"]), str(answer.get("changed", "")))

    def request(self, do: str, **fields: Any) -> dict[str, Any]:
        return self.worker.request(do, timeout_s=self.timeout_s, **fields)

    def file(self, suffix: str) -> Path:
        return self.folder / f"proof{next(self._numbers)}{suffix}"


class RunningProgram:
    """A loaded program as a subject (subject.py)."""

    def __init__(self, programs: Programs, version: str, changed: str = "") -> None:
        self._programs = programs
        self.version = version  # of the framework
        self.changed = changed  # what the bridge did for it to compute in float64

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
        if self._programs.precision == "float64":
            arrays = {name: _widened(array) for name, array in arrays.items()}
        np.savez(path, **arrays)  # type: ignore[arg-type]
        return path


def _widened(array: np.ndarray) -> np.ndarray:
    """Whole numbers (tokens, classes) stay as they are."""
    return array.astype(np.float64) if array.dtype == np.float32 else array


def _taken(path: Path, during: str, *wanted: str) -> Arrays:
    """The arrays of a file that is not needed again."""
    arrays = read_arrays(path, during, *wanted)
    path.unlink()
    return arrays
