"""Archives that mean harm are refused with a reason, and write nothing."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_sets import tar

from tensorstone.data.formats.unpacking import members, pick, read, unpack
from tensorstone.data.refused import DataRefused

PACKERS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "plain": bytes}


@pytest.mark.parametrize("packer", PACKERS)
def test_any_packing_is_read(tmp_path: Path, packer: str) -> None:
    content = bytes(range(256)) * 1000
    (tmp_path / "file").write_bytes(PACKERS[packer](content))
    assert read(tmp_path / "file", len(content)) == content
    with pytest.raises(DataRefused, match="unpacks to more than"):
        read(tmp_path / "file", len(content) - 1)


def test_a_bomb_is_refused_without_unpacking_it(tmp_path: Path) -> None:
    """A hundred megabytes of zeros, of which one is allowed."""
    packed = gzip.compress(bytes(100_000_000), 9)
    assert len(packed) < 200_000
    (tmp_path / "bomb.gz").write_bytes(packed)
    tracemalloc.start()
    with pytest.raises(DataRefused, match=r"bomb.gz unpacks to more than 1 MB"):
        read(tmp_path / "bomb.gz", 1_000_000)
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


def test_a_bomb_in_an_archive_is_refused_even_if_nobody_wants_it(tmp_path: Path) -> None:
    path = tar(tmp_path / "a.tgz", {"unwanted": bytes(5_000_000), "wanted": b"text"})
    with pytest.raises(DataRefused, match="unpacks to more than"):
        unpack(path, {"wanted"}, tmp_path, 1_000_000)
    assert not (tmp_path / "wanted").exists()


@pytest.mark.parametrize("name", ["../evil", "/evil", "a/../../evil"])
def test_a_path_outside_is_refused(tmp_path: Path, name: str) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    path = tar(tmp_path / "a.tgz", {name: b"evil"})
    with pytest.raises(DataRefused, match="a path outside of it"):
        unpack(path, {"evil"}, inside, 1_000_000)
    assert {file.name for file in tmp_path.rglob("*")} == {"inside", "a.tgz"}


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE])
def test_links_and_devices_are_refused(tmp_path: Path, kind: bytes) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        member = tarfile.TarInfo("wanted")
        member.type, member.linkname = kind, "/etc/passwd"
        archive.addfile(member)
    with pytest.raises(DataRefused, match="not a plain file"):
        unpack(tmp_path / "a.tar", {"wanted"}, tmp_path, 1_000_000)
    assert not (tmp_path / "wanted").is_symlink()


def test_only_wanted_files_are_written_and_all_in_one_folder(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    path = tar(tmp_path / "a.tgz", {"package/data/one": b"1", "two": b"2", "package/three": b"3"})
    unpack(path, {"one", "two"}, out, 1_000_000)
    assert {file.name: file.read_bytes() for file in out.iterdir()} == {"one": b"1", "two": b"2"}


@given(st.dictionaries(st.from_regex(r"[a-z]{1,9}", fullmatch=True), st.binary(max_size=3000)))
def test_what_is_packed_is_what_is_read(files: dict[str, bytes]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = tar(Path(folder) / "a.tgz", files)
        found = {str(name): content.read() for name, content in members(path, 10**6)}
    assert found == files


def test_a_missing_file_is_named_with_its_other_names(tmp_path: Path) -> None:
    with pytest.raises(DataRefused, match="no a there, nor b, c"):
        pick(tmp_path, "a", "b", "c")


def test_a_cut_archive_is_damage(tmp_path: Path) -> None:
    from tensorstone.data.formats.unpacking import DAMAGE

    whole = io.BytesIO(tar(tmp_path / "a.tgz", {"one": bytes(range(256)) * 99}).read_bytes())
    (tmp_path / "cut.tgz").write_bytes(whole.getvalue()[:200])
    with pytest.raises(DAMAGE):
        unpack(tmp_path / "cut.tgz", {"one"}, tmp_path, 1_000_000)
