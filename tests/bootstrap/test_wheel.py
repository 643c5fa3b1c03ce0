"""`pip install .` carries every file of every room."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

from tensorstone.runtime.environments import pip_config, uv

ROOT = Path(__file__).parents[2]
NOT_SOURCE = ("__pycache__", ".pyc")


def test_the_wheel_holds_every_file_of_the_packages(tmp_path: Path) -> None:
    sources = pip_config.read()
    command = [uv.binary(), "build", "--wheel", "--out-dir", str(tmp_path), *sources.arguments()]
    built = subprocess.run(
        [*command, str(ROOT)], env=uv.environment(sources), capture_output=True, text=True
    )
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("tensorstone-*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    packages = ("tensorstone", "stone_worker")
    there = {
        path.relative_to(ROOT / "src").as_posix()
        for package in packages
        for path in (ROOT / "src" / package).rglob("*")
        if path.is_file() and not any(part in str(path) for part in NOT_SOURCE)
    }
    assert there <= held
    assert "tensorstone/dialects/pytorch/requirements.lock" in held
