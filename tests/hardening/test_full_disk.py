"""A full disk is a message that says which folder, and leaves no half of a file."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.conftest import COMMAND, SMALL, Said, environment

from hardening.conftest import LINE, sound

NAMESPACE = ["unshare", "--user", "--map-root-user", "--mount"]
SIZE = 256 * 1024


def _permitted() -> bool:
    tried = "mount -t tmpfs -o size=64k none /mnt"
    try:
        return subprocess.run([*NAMESPACE, "sh", "-c", tried], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


@pytest.fixture
def full(tmp_path: Path) -> Callable[..., Said]:
    """Run the command where the folder `full` is a disk with next to nothing free."""
    if not _permitted():
        pytest.skip("no file system can be mounted here, not even in a namespace of one's own")
    disk = tmp_path / "full"
    disk.mkdir()

    def run(*words: object, after: str = "true", **variables: str) -> Said:
        command = shlex.join([*COMMAND, *map(str, words)])
        mount = f"mount -t tmpfs -o size={SIZE} none {disk}"
        script = f"{mount} && head -c {SIZE - 4096} /dev/zero > {disk}/fill; {command}; code=$?; "
        done = subprocess.run(
            [*NAMESPACE, "sh", "-c", f"{script}{after}; exit $code"],
            capture_output=True,
            text=True,
            env=environment(tmp_path)
            | {"STONE_CACHE": str(tmp_path / "cache")}
            | {k: str(disk / v) for k, v in variables.items()},
            cwd=tmp_path,
        )
        return Said(done.returncode, done.stdout, done.stderr)

    return run


@pytest.mark.parametrize(
    "words",
    [
        ("prove", SMALL, "-d", "rogue/wrong", "--timeout", "5m"),
        ("compare", SMALL, "-d", "null", "--budget", "1s"),
        ("train", SMALL, "-d", "null", "--data", "synthetic"),
    ],
    ids=lambda words: words[0],
)
def test_a_full_temporary_folder(full, tmp_path: Path, words) -> None:
    said = sound(full(*words, TMPDIR="."))
    assert said.code == 2
    assert f"the temporary folder {tmp_path / 'full'}" in said.err
    assert "TMPDIR" in said.err


def test_a_full_disk_under_the_ledger(full) -> None:
    said = sound(full("compare", LINE, "-d", "null", "--budget", "1s", STONE_DATA="data"))
    assert said.code == 2
    assert "ledger.sqlite" in said.err


def test_a_full_disk_under_the_caches_costs_nothing(full) -> None:
    said = sound(full("prove", LINE, "-d", "null", STONE_CACHE="cache"))
    assert said.code == 0


def test_a_program_that_does_not_fit_leaves_no_file(full, tmp_path: Path) -> None:
    out = tmp_path / "full" / "programs"
    words = ("translate", "googlenet", "--to", "pytorch,jax,mxnet", "--out", out)
    said = sound(full(*words, after=f"find {out} -type f -size 0; find {out} -name '*.part'"))
    assert said.code == 2
    assert "cannot write" in said.err
    assert said.out == ""


def test_a_worker_that_prints_without_end_takes_little_disk(tmp_path: Path) -> None:
    """A tenth of what it prints, at least until it is looked at again."""
    import os
    import sys

    from tensorstone.runtime.invocation import Invocation
    from tensorstone.runtime.process import BLOCK_BYTES, MOST_PRINTED, Worker

    program = tmp_path / "chatter.py"
    lines = "    import time\n    for _ in range(60):\n        print('x' * 2**20)\n"
    program.write_text(
        f"def network():\n{lines}        time.sleep(0.02)\n    print('the end')\n", encoding="utf-8"
    )
    bridge = tmp_path / "bridge.py"
    bridge.write_text("def configure(threads): pass\ndef version(): return '0'\n", encoding="utf-8")
    with Worker(Invocation(Path(sys.executable), {}, (), 1, tmp_path), poll_s=0.01) as worker:
        worker.request("load", 60, program=str(program), bridge=str(bridge), layers=[], threads=1)
        worker.request("new", 60, weights=None)
        status = os.fstat(worker._log.fileno())
        assert status.st_size > 60 * 2**20
        assert status.st_blocks * BLOCK_BYTES < 2 * MOST_PRINTED
        assert worker.last_output().endswith("the end")
