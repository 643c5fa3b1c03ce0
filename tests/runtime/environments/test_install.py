"""Environments are made whole or not at all, whatever happens on the way."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tiny_room import make_room, make_wheel

from tensorstone.dialects.registry import Framework, frameworks
from tensorstone.runtime.environments import environment, install
from tensorstone.runtime.environments.install import InstallFailed, ensure
from tensorstone.runtime.environments.interpreters import MissingInterpreter

INSTALLING = Path(__file__).with_name("installing.py")


class Told:
    """A progress that remembers."""

    def __init__(self) -> None:
        self.labels: list[str] = []
        self.done: list[int] = []
        self.finished = 0

    def start(self, label: str, total_bytes: int) -> None:
        self.labels.append(label)

    def advance(self, done_bytes: int, note: str) -> None:
        self.done.append(done_bytes)

    def finish(self) -> None:
        self.finished += 1


def imported_version(python: Path) -> str:
    ask = [python, "-c", "import tinyframework; print(tinyframework.version)"]
    return subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip()


def start(room: Framework, wheel: Path) -> subprocess.Popen[str]:
    command = [sys.executable, str(INSTALLING), str(room.room), str(wheel)]
    path = os.pathsep.join(["src", str(INSTALLING.parent)])
    return subprocess.Popen(
        command,
        env=os.environ | {"PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def test_an_environment_runs_what_its_lock_says(room: Framework) -> None:
    told = Told()
    made = ensure(room, told)
    assert imported_version(made.python) == "1.0"
    assert made.version == "1.0"
    assert made.packages == {"tinyframework": "1.0"}
    assert told.labels == ["Tiny 1.0 (2 kB to download)"]
    assert told.done == sorted(told.done)
    assert told.done[-1] == 5000
    assert told.finished == 1


def test_bytecode_is_compiled_and_downloads_are_dropped(room: Framework) -> None:
    made = ensure(room)
    assert list(made.path.rglob("__pycache__/tinyframework.*.pyc"))
    assert [path.name for path in environment.all_homes(room)] == [made.path.name]


def test_the_second_call_starts_nothing(room: Framework, monkeypatch: pytest.MonkeyPatch) -> None:
    first = ensure(room)
    monkeypatch.setattr(subprocess, "Popen", None)
    told = Told()
    assert ensure(room, told) == first
    assert told.labels == []


def test_another_lock_is_another_environment(room: Framework, tmp_path: Path) -> None:
    first = ensure(room)
    newer = make_room(room.room, make_wheel(tmp_path / "wheels", "tinyframework", "2.0"))
    second = ensure(newer)
    assert second.path != first.path
    assert imported_version(first.python) == "1.0"
    assert imported_version(second.python) == "2.0"


def test_an_install_without_its_marker_is_made_again(room: Framework) -> None:
    made = ensure(room)
    (made.path / environment.MARKER).unlink()
    next(made.path.rglob("tinyframework.py")).unlink()
    assert environment.find(room) is None
    assert imported_version(ensure(room).python) == "1.0"


@pytest.mark.parametrize("content", ["", "{", "[]", '{"unknown": 1}'])
def test_a_damaged_marker_is_no_marker(room: Framework, content: str) -> None:
    made = ensure(room)
    (made.path / environment.MARKER).write_text(content)
    assert environment.find(room) is None
    assert imported_version(ensure(room).python) == "1.0"


def test_an_environment_whose_interpreter_is_gone_is_made_again(room: Framework) -> None:
    made = ensure(room)
    made.python.unlink()
    made.python.symlink_to("/nowhere/python")
    assert environment.find(room) is None
    assert imported_version(ensure(room).python) == "1.0"


def test_a_killed_install_is_repaired(tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path / "wheels", "tinyframework", payload=100_000_000)
    room = make_room(tmp_path / "room", wheel)
    process = start(room, wheel)
    home = environment.home(room)
    while not (home / "bin" / "python").exists():
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.001)
    os.kill(process.pid, signal.SIGKILL)  # uv itself is left behind, still writing
    process.communicate()
    assert environment.find(room) is None
    assert imported_version(ensure(room).python) == "1.0"


def test_two_at_once_make_one_good_environment(tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path / "wheels", "tinyframework", payload=20_000_000)
    room = make_room(tmp_path / "room", wheel)
    both = [start(room, wheel) for _ in range(2)]
    answers = [process.communicate() for process in both]
    assert [process.returncode for process in both] == [0, 0], answers
    assert answers[0][0] == answers[1][0]  # the same seconds: made once, found once
    found = environment.find(room)
    assert found
    assert imported_version(found.python) == "1.0"


def test_a_wrong_hash_is_refused_and_nothing_is_left(room: Framework, tmp_path: Path) -> None:
    make_wheel(tmp_path / "wheels", "tinyframework", payload=1)
    with pytest.raises(InstallFailed, match=r"(?i)hash") as failed:
        ensure(room)
    assert failed.value.last_output
    assert "stone env install tiny" in failed.value.hint
    assert not environment.home(room).exists()


def test_a_missing_package_is_said_in_uv_s_words(room: Framework, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "wheels")
    (tmp_path / "wheels").mkdir()
    with pytest.raises(InstallFailed, match="tinyframework"):
        ensure(room)


def test_a_full_disk_is_said_before_anything_is_fetched(room: Framework) -> None:
    text = room.lock.read_text()
    room.lock.write_text(text.replace("unpacked 4000", f"unpacked {10**18}"))
    with pytest.raises(InstallFailed, match=r"it needs 1000000000\.0 GB") as failed:
        ensure(room)
    assert "STONE_CACHE" in failed.value.hint
    assert not environment.home(room).exists()


def test_a_missing_interpreter_comes_with_the_command_that_gets_it(
    without_python: Framework,
) -> None:
    with pytest.raises(MissingInterpreter, match=r"Python 3\.99 is not on this machine") as missing:
        ensure(without_python)
    assert missing.value.command.endswith("install 3.99")


def test_a_room_without_a_python_runs_in_stone_s_own() -> None:
    assert ensure(frameworks()["null"]).python == Path(sys.executable)


def test_the_marker_says_what_is_there(room: Framework) -> None:
    made = ensure(room)
    said = json.loads((made.path / environment.MARKER).read_text())
    assert said["packages"] == {"tinyframework": "1.0"}
    assert said["size_bytes"] > 0
    assert said["fingerprint"] in made.path.name


def test_torch_s_cpu_build_is_taken_where_it_is(tmp_path: Path) -> None:
    from tensorstone.runtime.environments.locked import Lock
    from tensorstone.runtime.environments.pip_config import PipConfig

    lock = Lock(tmp_path / "requirements.lock", "torch==2.13.0+cpu \\\n    --hash=sha256:0\n")
    words = install.sync_command(tmp_path, lock, PipConfig())
    assert words[-3:-1] == ["--torch-backend", "cpu"]
    (tmp_path / "torch-2.13.0+cpu-cp311-cp311-manylinux_2_28_x86_64.whl").touch()
    here = PipConfig(find_links=(str(tmp_path),))
    assert "--torch-backend" not in install.sync_command(tmp_path, lock, here)
