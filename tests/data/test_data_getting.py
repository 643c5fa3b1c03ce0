"""Getting a set: sources in order, content checked, whole or not there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tiny_sets import Fake, tiny_mnist, write_idx

from tensorstone.data import getting, local_sets
from tensorstone.data.content import checksum
from tensorstone.data.getting import Got
from tensorstone.data.sets.dataset import DataSet
from tensorstone.support.errors import StoneError
from tensorstone.support.file_lock import file_locked
from tensorstone.support.progress import NoProgress


class Told(list[str]):
    def get(self, data_set: DataSet, mirror: Path | None = None) -> Got:
        return getting.get(data_set, mirror, NoProgress(), self.append)


@pytest.fixture
def good(tmp_path: Path) -> Path:
    write_idx(tmp_path / "good")
    return tmp_path / "good"


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    write_idx(tmp_path / "wrong", seed=7)
    return tmp_path / "wrong"


def test_sources_are_tried_in_order_and_each_failure_is_one_line(
    good: Path, wrong: Path, tmp_path: Path
) -> None:
    first, last = Fake("first", None, "asleep"), Fake("last", good)
    data_set = tiny_mnist(good, first, Fake("second", wrong), last, Fake("never", good))
    told = Told()
    got = told.get(data_set, mirror=tmp_path / "lost")
    assert (got.state, got.source) == ("got", "last")
    assert [tried.source for tried in got.tried] == [
        f"mirror folder {tmp_path}/lost",
        "first",
        "second",
    ]
    assert told[0] == f"mnist: mirror folder {tmp_path}/lost: there is no such folder"
    assert told[1] == "mnist: first: asleep"
    assert f"expected {data_set.checksum}" in told[2]
    assert all("\n" not in line for line in told)
    assert data_set.sources[-1].asked == []  # type: ignore[attr-defined]


def test_another_content_is_refused(good: Path, wrong: Path) -> None:
    data_set = tiny_mnist(good, Fake("other", wrong))
    got = Told().get(data_set)
    assert got.state == "failed"
    assert data_set.checksum in got.tried[0].reason
    assert local_sets.find(data_set) is None
    assert not local_sets.folder(data_set).exists()


def test_damaged_files_are_a_reason_to_go_on(good: Path, tmp_path: Path) -> None:
    write_idx(tmp_path / "cut")
    cut = tmp_path / "cut" / "train-images-idx3-ubyte.gz"
    cut.write_bytes(cut.read_bytes()[:500])
    got = Told().get(tiny_mnist(good, Fake("cut", tmp_path / "cut"), Fake("good", good)))
    assert got.source == "good"
    assert "cannot be read" in got.tried[0].reason


def test_what_is_there_is_checked_and_not_fetched_again(good: Path) -> None:
    source = Fake("source", good)
    data_set = tiny_mnist(good, source)
    told = Told()
    assert told.get(data_set).state == "got"
    again = told.get(data_set)
    assert (again.state, again.source) == ("already-there", "source")
    assert source.asked == ["source"]
    assert again.bytes == sum(
        file.stat().st_size for file in local_sets.folder(data_set).glob("*.npy")
    )
    arrays = local_sets.load(data_set)
    assert checksum(arrays) == data_set.checksum
    assert isinstance(arrays["train_x"], np.memmap)


def test_a_flipped_bit_is_found_and_repaired(good: Path) -> None:
    data_set = tiny_mnist(good, Fake("source", good))
    told = Told()
    told.get(data_set)
    file = local_sets.folder(data_set) / "train_x.npy"
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    with pytest.raises(StoneError) as caught:
        local_sets.load(data_set)
    assert "damaged" in caught.value.message
    assert caught.value.hint == "run: stone data get mnist"
    assert told.get(data_set).state == "got"
    assert "damaged" in told[0]
    assert checksum(local_sets.load(data_set)) == data_set.checksum


@pytest.mark.parametrize("harm", ["cut", "missing", "no marker", "torn marker", "another checksum"])
def test_a_set_that_is_not_whole_is_not_there(good: Path, harm: str) -> None:
    data_set = tiny_mnist(good, Fake("source", good))
    Told().get(data_set)
    home = local_sets.folder(data_set)
    if harm == "cut":
        os.truncate(home / "train_x.npy", 300)
    elif harm == "missing":
        (home / "test_y.npy").unlink()
    elif harm == "no marker":
        (home / local_sets.MARKER).unlink()
    elif harm == "torn marker":
        os.truncate(home / local_sets.MARKER, 20)
    else:
        said = json.loads((home / local_sets.MARKER).read_text()) | {"checksum": "0"}
        (home / local_sets.MARKER).write_text(json.dumps(said))
    assert local_sets.find(data_set) is None
    assert Told().get(data_set).state == "got"


class Killed(BaseException):
    """As sudden as a signal."""


def test_an_interrupted_write_leaves_nothing_and_is_repaired(
    good: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data_set = tiny_mnist(good, Fake("source", good))
    saved: list[object] = []

    def killed(path: Path, array: np.ndarray, **_: object) -> None:
        saved.append(path)
        if len(saved) == 3:
            raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(np, "save", killed)
        with pytest.raises(Killed):
            Told().get(data_set)
    assert local_sets.find(data_set) is None
    assert Told().get(data_set).state == "got"


def test_what_a_killed_process_left_behind_is_cleared_away(good: Path) -> None:
    data_set = tiny_mnist(good, Fake("source", good))
    left = local_sets.folder(data_set).parent / ".mnist.part-abc"
    left.mkdir()
    (left / "half.npy").write_bytes(bytes(1000))
    Told().get(data_set)
    assert not left.exists()


def test_a_full_disk_is_the_person_s_business(good: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    with pytest.raises(StoneError) as caught:
        Told().get(tiny_mnist(good, Fake("source", good), Fake("never", good)))
    assert "No space left on device" in caught.value.message
    assert "STONE_CACHE" in caught.value.hint


_OTHER = """
import sys; sys.path.insert(0, sys.argv[1])
from pathlib import Path
from tiny_sets import Fake, tiny_mnist
from tensorstone.data import getting
from tensorstone.support.progress import NoProgress
folder = Path(sys.argv[2])
got = getting.get(tiny_mnist(folder, Fake("one", folder)), None, NoProgress(), print)
print(got.state)
"""


def test_two_processes_at_once_fetch_once(good: Path) -> None:
    """Both wait for a lock that the test holds, then one gets the set and the other finds it."""
    data_set = replace(tiny_mnist(good), sources=())
    words = [sys.executable, "-u", "-c", _OTHER, str(Path(__file__).parent), str(good)]
    environment = os.environ | {"PYTHONPATH": str(Path(local_sets.__file__).parents[2])}
    lock = local_sets.folder(data_set).parent / ".mnist.lock"
    with file_locked(lock):
        others = [
            subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment)
            for _ in range(2)
        ]
        for other in others:
            assert other.stdout
            assert "waiting" in other.stdout.readline()
    states = sorted(other.communicate(timeout=60)[0].strip() for other in others)
    assert states == ["already-there", "got"]
    assert local_sets.whole(data_set)
