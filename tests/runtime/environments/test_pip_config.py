"""pip's configuration, in pip's order, said in uv's words."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny_room import make_room, make_wheel

from tensorstone.runtime.environments import pip_config
from tensorstone.runtime.environments.install import ensure
from tensorstone.runtime.environments.pip_config import PipConfig, merge


def conf(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_later_files_and_then_variables_replace_earlier_ones(tmp_path: Path) -> None:
    first = conf(tmp_path / "a", "[global]\nindex-url = one\ncert = c\nfind-links = x\n")
    second = conf(tmp_path / "b", "[global]\nindex_url = two\n[install]\nfind-links = y\n  z\n")
    assert merge([first, second], {}) == PipConfig(index_url="two", find_links=("y", "z"), cert="c")
    assert merge([first, second], {"PIP_INDEX_URL": "three"}).index_url == "three"


def test_an_unreadable_file_is_left_to_pip(tmp_path: Path) -> None:
    assert merge([conf(tmp_path / "a", "no section"), tmp_path / "absent"], {}) == PipConfig()


def test_uv_is_told_everything() -> None:
    config = merge(
        [],
        {
            "PIP_INDEX_URL": "i",
            "PIP_EXTRA_INDEX_URL": "e1 e2",
            "PIP_FIND_LINKS": "f",
            "PIP_TRUSTED_HOST": "t",
            "PIP_NO_INDEX": "true",
            "PIP_CERT": "/certificates",
            "PIP_PROXY": "p",
        },
    )
    said = " ".join(config.arguments())
    assert said == (
        "--no-index --default-index i --extra-index-url e1 --extra-index-url e2 --find-links f "
        "--allow-insecure-host t --index-strategy unsafe-best-match"
    )
    assert config.variables() == {"SSL_CERT_FILE": "/certificates", "ALL_PROXY": "p"}


def test_no_configuration_says_nothing() -> None:
    assert PipConfig().arguments() == []
    assert PipConfig().variables() == {}


def test_the_user_s_file_is_found_where_pip_looks(tmp_path: Path) -> None:
    conf(tmp_path / ".config/pip/pip.conf", "[global]\ntrusted-host = here\n")
    environ = {"HOME": str(tmp_path)}
    assert pip_config.read(environ).trusted_hosts == ("here",)
    own = conf(tmp_path / "own", "[global]\ntrusted-host = mine\n")
    assert pip_config.read(environ | {"PIP_CONFIG_FILE": str(own)}).trusted_hosts == ("mine",)
    assert pip_config.read(environ | {"PIP_CONFIG_FILE": "/dev/null"}) == PipConfig()


@pytest.mark.parametrize("prefix", ["", "file://"])
def test_a_find_links_folder_in_a_file_is_really_installed_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prefix: str
) -> None:
    wheel = make_wheel(tmp_path / "elsewhere", "tinyframework")
    links = conf(tmp_path / "pip.conf", f"[global]\nfind-links = {prefix}{wheel.parent}\n")
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(links))
    assert ensure(make_room(tmp_path / "room", wheel)).version == "1.0"


def test_a_bare_index_of_files_is_really_installed_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An index made by hand: a page of links, no hashes, no metadata, beside a partial one."""
    wheel = make_wheel(tmp_path / "files", "tinyframework")
    other = make_wheel(tmp_path / "files", "tinyframework", "0.5")
    for index, file in (("partial", other), ("whole", wheel)):
        page = f'<a href="../../files/{file.name}">{file.name}</a>'
        conf(tmp_path / index / "tinyframework" / "index.html", page)
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("PIP_INDEX_URL", f"file://{tmp_path}/partial")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", f"file://{tmp_path}/partial file://{tmp_path}/whole")
    assert ensure(make_room(tmp_path / "room", wheel)).version == "1.0"
