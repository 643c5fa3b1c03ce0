"""A command's folder: there while it works, gone after it, and with a later one if it was
killed."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tensorstone.support.scratch import YOUNG_S, scratch

HOLDER = """
import time
from tensorstone.support.scratch import scratch
with scratch() as folder:
    (folder / "large").write_text("x")
    print(folder, flush=True)
    time.sleep(600)
"""


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)


def hold() -> tuple[subprocess.Popen[str], Path]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER], stdout=subprocess.PIPE, text=True, env=environment
    )
    assert holder.stdout is not None
    return holder, Path(holder.stdout.readline().strip())


def age(folder: Path, seconds: float) -> None:
    then = folder.stat().st_mtime - seconds
    os.utime(folder, (then, then))


def test_it_goes_when_the_command_ends() -> None:
    with scratch() as folder:
        (folder / "file").write_text("x")
    assert not folder.exists()


def test_what_a_killed_command_left_goes_with_the_next() -> None:
    holder, folder = hold()
    age(folder, 2 * YOUNG_S)
    with scratch():
        assert (folder / "large").exists(), "its holder lives"
    holder.kill()
    holder.wait()
    with scratch() as mine:
        assert not folder.exists()
        assert mine.exists()


def test_what_is_young_or_somebody_elses_stays(tmp_path: Path) -> None:
    young, other, target = (tmp_path / name for name in ("stone-run-x", "stone-else", "target"))
    for folder in (young, other, target):
        folder.mkdir()
    link = tmp_path / "stone-run-link"
    link.symlink_to(target)
    age(other, 2 * YOUNG_S)
    age(target, 2 * YOUNG_S)
    with scratch():
        pass
    assert all(path.exists() for path in (young, other, target, link))
