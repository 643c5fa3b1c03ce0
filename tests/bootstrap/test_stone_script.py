"""`./stone` in a fresh clone: real pip, real uv, a real environment, and a tiny command to run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tensorstone.runtime.environments import bootstrap

ROOT = Path(__file__).parents[2]
TOOLS = ("sh", "cat", "cksum", "dirname", "readlink")  # all that the script itself needs
NOT_COPIED = shutil.ignore_patterns("cli", "__pycache__")
COMMAND = """\
import json, sys

def main():
    print(json.dumps(sys.argv[1:]))
    return 3
"""


def make_clone(folder: Path) -> Path:
    """This repository, with the lock cut down to uv and the command line to an echo."""
    package = folder / "src" / "tensorstone"
    shutil.copytree(ROOT / "src" / "tensorstone", package, ignore=NOT_COPIED)
    shutil.copy(ROOT / "stone", folder / "stone")
    (package / "cli").mkdir()
    (package / "cli" / "__init__.py").write_text(COMMAND)
    (folder / "pyproject.toml").touch()
    only_uv = bootstrap.uv_alone((ROOT / "requirements.lock").read_text())
    (folder / "requirements.lock").write_text(only_uv)
    return folder


def start(script: Path, *words: str, **variables: str) -> subprocess.Popen[str]:
    foreign = ("STONE_VENV", "PYTHONPATH")
    environ = {name: value for name, value in os.environ.items() if name not in foreign}
    return subprocess.Popen(
        [script, *words],
        env=environ | variables,
        cwd="/",
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(script: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    with start(script, *words, **variables) as process:
        out, error = process.communicate()
    return subprocess.CompletedProcess(words, process.returncode, out, error)


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_clone(tmp_path_factory.mktemp("boot") / "a clone with spaces")
    first = run(folder / "stone", "one", "two words")
    assert (first.returncode, first.stdout) == (3, '["one", "two words"]\n'), first.stderr
    assert "making stone's own environment" in first.stderr
    return folder


@pytest.fixture(autouse=True)
def a_python_first_on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python that runs the tests, so that they need no other."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").symlink_to(sys.executable)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)


def test_the_second_run_only_hands_over(clone: Path) -> None:
    again = run(clone / "stone", PATH=only_tools(clone.parent))
    assert (again.stdout, again.stderr) == ("[]\n", "")


def test_it_runs_through_links_of_links(clone: Path, tmp_path: Path) -> None:
    (tmp_path / "direct").symlink_to(clone / "stone")
    (tmp_path / "relative").symlink_to("direct")
    assert run(tmp_path / "relative", "x").stdout == '["x"]\n'


def test_an_interrupted_environment_is_made_again(clone: Path) -> None:
    stamp = clone / ".venv" / bootstrap.STAMP
    stamp.write_text(bootstrap.UNFINISHED)
    (clone / ".venv" / "bin" / "uv").write_text("half a program")
    again = run(clone / "stone")
    assert again.stdout == "[]\n", again.stderr
    assert (clone / ".venv" / "bin" / "uv").stat().st_size > 1000


def test_an_environment_whose_python_is_gone_is_made_again(clone: Path) -> None:
    python = clone / ".venv" / "bin" / "python"
    python.unlink()
    python.symlink_to("/nowhere/python")
    again = run(clone / "stone")
    assert again.stdout == "[]\n", again.stderr


def test_a_changed_lock_updates_what_is_there(clone: Path) -> None:
    kept = clone / ".venv" / "kept"
    kept.touch()
    with (clone / "requirements.lock").open("a") as lock:
        lock.write("# a change\n")
    assert "fetching packages" in run(clone / "stone").stderr
    assert kept.exists()
    assert run(clone / "stone").stderr == ""


def test_a_moved_clone_still_runs(clone: Path) -> None:
    moved = clone.rename(clone.with_name("moved"))
    try:
        assert run(moved / "stone", "x").stdout == '["x"]\n'
    finally:
        moved.rename(clone)
    assert run(clone / "stone", "y").stdout == '["y"]\n'


def test_two_first_runs_at_once_both_succeed(tmp_path: Path) -> None:
    folder = make_clone(tmp_path / "clone")
    both = [start(folder / "stone", name) for name in ("a", "b")]
    answers = [process.communicate() for process in both]
    assert [out for out, _ in answers] == ['["a"]\n', '["b"]\n'], answers
    assert sum("making stone's own" in error for _, error in answers) == 1


def test_a_folder_that_is_not_stone_s_is_left_alone(clone: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("irreplaceable")
    refused = run(clone / "stone", STONE_VENV=str(mine))
    assert refused.returncode == 2
    assert "was not made by stone" in refused.stderr
    assert [path.name for path in mine.iterdir()] == ["thesis.txt"]


def test_a_place_that_cannot_be_written_is_said_in_one_line(clone: Path) -> None:
    refused = run(clone / "stone", STONE_VENV="/proc/stone")
    assert refused.returncode == 2
    assert re.fullmatch(r"stone: .*/proc/stone.*STONE_VENV.*\n", refused.stderr)


def test_without_a_suitable_python_it_says_what_to_get(clone: Path, tmp_path: Path) -> None:
    tools = Path(only_tools(tmp_path / "tools"))
    for name, text in (("python3", "exit 127"), ("python3.12", "echo no such version; exit 1")):
        (tools / name).write_text(f"#!/bin/sh\n{text}\n")
        (tools / name).chmod(0o755)
    refused = run(
        clone / "stone", PATH=str(tools), PYENV_ROOT=str(tmp_path), STONE_VENV=str(tmp_path / "v")
    )
    assert refused.returncode == 2
    assert "needs Python 3.11 or newer" in refused.stderr
    assert not (tmp_path / "v").exists()


def test_uv_s_own_lines_are_cut_out_of_the_lock() -> None:
    own = "uv==2 \\\n    --hash=sha256:1 \\\n    --hash=sha256:2\n"
    lock = "a==1 \\\n    --hash=sha256:0\n" + own + "z==3\n"
    assert bootstrap.uv_alone(lock) == own


def only_tools(folder: Path) -> str:
    """A PATH without any Python."""
    tools = folder / "only-tools"
    tools.mkdir(parents=True, exist_ok=True)
    for name in TOOLS:
        found = shutil.which(name)
        assert found
        if not (tools / name).exists():
            (tools / name).symlink_to(found)
    return str(tools)
