"""The cache keeps what was computed, and never gives back anything else."""

from __future__ import annotations

import os

import numpy as np
import pytest

from tensorstone.oracle import cache, cached, digest


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("STONE_CACHE", str(tmp_path))
    return tmp_path / "oracle"


class Counting:
    """A computation that knows how often it was asked."""

    def __init__(self, **arrays):
        self.arrays, self.calls = arrays, 0

    def __call__(self):
        self.calls += 1
        return self.arrays


def test_computed_once(folder):
    compute = Counting(**{"conv1.weight": np.arange(6, dtype=np.float32), "losses": np.ones(2)})
    first, second = (cached(("a", b"b"), compute) for _ in range(2))
    assert compute.calls == 1
    assert list(first) == list(second)
    for name, array in first.items():
        assert second[name].dtype == array.dtype
        np.testing.assert_array_equal(second[name], array)
    assert [path.suffix for path in folder.iterdir()] == [".npz"]


def test_other_keys_are_other_results(folder):
    for number, key in enumerate([("ab", "c"), ("a", "bc"), "abc", ("abc", "")]):
        assert cached(key, Counting(n=np.array(number)))["n"] == number


def test_another_oracle_has_other_results(folder, monkeypatch):
    cached("key", Counting(n=np.array(1)))
    monkeypatch.setattr(cache, "source_digest", lambda *purposes: "corrected")
    assert cached("key", Counting(n=np.array(2)))["n"] == 2


@pytest.mark.parametrize("damage", ["empty", "cut", "flipped", "rubbish", "pickle", "single"])
def test_a_damaged_file_is_computed_again(folder, damage):
    compute = Counting(n=np.arange(1000.0))
    cached("key", compute)
    (path,) = folder.iterdir()
    whole = path.read_bytes()
    if damage == "pickle":
        np.savez(path, n=np.array([{}], dtype=object))
    elif damage == "single":
        with path.open("wb") as file:
            np.save(file, np.arange(3))
    else:
        half = len(whole) // 2
        flipped = whole[:half] + bytes([whole[half] ^ 1]) + whole[half + 1 :]
        path.write_bytes(
            {"empty": b"", "cut": whole[:half], "flipped": flipped, "rubbish": b"PK?"}[damage]
        )
    np.testing.assert_array_equal(cached("key", compute)["n"], np.arange(1000.0))
    assert compute.calls == 2
    cached("key", compute)
    assert compute.calls == 2


def test_a_failed_computation_leaves_nothing(folder):
    def fail():
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        cached("key", fail)
    assert not folder.exists() or not list(folder.iterdir())


def test_a_full_disk_costs_only_the_cache(folder, monkeypatch):
    def full(file, **arrays):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    assert cached("key", Counting(n=np.array(1)))["n"] == 1
    assert not list(folder.iterdir())


def test_what_was_used_longest_ago_goes_first(folder, monkeypatch):
    for age, key in ((30, "old"), (20, "middle"), (10, "new")):
        before = set(folder.iterdir()) if folder.exists() else set()
        cached(key, Counting(n=np.zeros(1000)))
        (path,) = set(folder.iterdir()) - before
        then = path.stat().st_mtime - age
        os.utime(path, (then, then))
    cached("old", Counting())  # used again, so now the youngest
    monkeypatch.setattr(cache, "_MOST_BYTES", 3 * path.stat().st_size)
    cached("newest", Counting(n=np.zeros(1000)))
    again = {key: Counting(n=np.zeros(1000)) for key in ("old", "new", "newest")}
    for key, compute in again.items():
        cached(key, compute)
    assert {key: compute.calls for key, compute in again.items()} == dict.fromkeys(again, 0)
    gone = Counting(n=np.zeros(1000))
    cached("middle", gone)
    assert gone.calls == 1


def test_a_digest_sees_names_types_shapes_and_values():
    a = np.arange(6.0)
    different = [{"a": a}, {"b": a}, {"a": a.astype("f4")}, {"a": a.reshape(2, 3)}, {"a": a + 1}]
    assert len({digest(arrays) for arrays in different}) == len(different)
    assert digest({"a": a, "b": a[:2]}) == digest({"b": a[:2].copy(), "a": a})
    assert digest({"a": np.arange(12.0)[::2]}) == digest({"a": np.arange(12.0)[::2].copy()})
