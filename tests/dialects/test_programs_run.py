"""Emitted programs run by themselves: the framework, NumPy and a file of samples, nothing else."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from emitted import DIALECTS, said_by, source

from tensorstone.dialects.emit import native_shape
from tensorstone.dialects.registry import Dialect, dialects, lookup
from tensorstone.models.load import find
from tensorstone.runtime.environments.install import ensure

pytestmark = pytest.mark.frameworks

THREADS = "1"  # several tests run at once, and threads that wait spin
MINUTES = 10  # a compiler may be at work, on a busy machine


def samples(dialect: Dialect, path: Path) -> Path:
    """Seven batches and a bit of LeNet's size, two classes told apart by how bright they are. From
    0 to 1, as LeNet's data are: at 255 times that, initial weights that learn slowly do turn up."""
    lenet = find("lenet")
    shape = native_shape(lenet.model.inputs, lookup(dialect.framework).layout)
    count = 7 * lenet.recipe.batch + 7
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, count)
    x = rng.uniform(0, 60, (count, *shape)) + 190 * y.reshape(-1, 1, 1, 1)
    x = (x / 255).astype("float32")
    np.savez(path, x_train=x, y_train=y, x_test=x[:200], y_test=y[:200])
    return path


def run(dialect: Dialect, folder: Path) -> subprocess.CompletedProcess[str]:
    framework = lookup(dialect.framework)
    program = folder / "lenet.py"
    program.write_text(source("lenet", dialect.name) or "", encoding="utf-8")
    place = ensure(framework)
    given = framework.variables(THREADS, place.path)
    # Nothing of stone's is on the program's path.
    inherited = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    return subprocess.run(
        [place.python, program, samples(dialect, folder / "samples.npz")],
        cwd=folder,
        env=inherited | given,
        capture_output=True,
        text=True,
        timeout=60 * MINUTES,
    )


@pytest.mark.parametrize("dialect", [d.name for d in DIALECTS if "lenet" in said_by(d.name)])
def test_a_program_runs_alone_and_learns(dialect: str, tmp_path: Path) -> None:
    ended = run(dialects()[dialect], tmp_path)

    assert ended.returncode == 0, ended.stderr
    epochs = re.findall(r"^epoch (\d+): loss (-?[\d.]+)$", ended.stdout, re.MULTILINE)
    assert [int(number) for number, _ in epochs] == list(range(1, find("lenet").recipe.epochs + 1))
    accuracy = re.search(r"^accuracy ([\d.]+)$", ended.stdout, re.MULTILINE)
    assert accuracy is not None, ended.stdout
    # Weights start at random, but 105 updates are plenty for this; guessing would be a half.
    assert float(accuracy[1]) > 0.9
