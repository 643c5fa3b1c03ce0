"""The host's side of a worker: where it runs, what it inherits, what is read of it from outside."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import psutil
import pytest
from racing import Make, marked, prepare, wait_for

from tensorstone.results.outcome import STATUSES
from tensorstone.runtime import process, sampling, threads
from tensorstone.runtime.answers import Gone
from tensorstone.runtime.channel import Channel, Closed, Garbage
from tensorstone.runtime.failure import Failure, of_exit
from tensorstone.runtime.invocation import Invocation
from tensorstone.runtime.process import Worker


def test_the_worker_is_pinned(make: Make) -> None:
    cpu = max(os.sched_getaffinity(0))
    with Worker(replace(make("null").invocation, cpus=(cpu,))) as worker:
        assert psutil.Process(worker.pid).cpu_affinity() == [cpu]


def test_a_processor_that_is_not_there_is_said(make: Make) -> None:
    with pytest.raises(Failure) as caught:
        Worker(replace(make("null").invocation, cpus=(1023,)))
    assert caught.value.outcome.status == "crashed"
    assert "sched_setaffinity" in caught.value.outcome.last_output


def test_the_environment_is_the_invocations() -> None:
    host = {
        "PATH": "/bin",
        "PYTHONPATH": "/host",
        "PYTHONHOME": "/host",
        "VIRTUAL_ENV": "/host",
        "OMP_NUM_THREADS": "64",
        "KMP_AFFINITY": "compact",
        "MALLOC_ARENA_MAX": "1",
    }
    made = Invocation(Path("python"), {"MKL_NUM_THREADS": "9", "A": "b"}, (), 2, Path("/run"))
    environment = made.environment(host)
    assert environment["PATH"] == "/bin" and environment["A"] == "b"
    assert environment["OMP_NUM_THREADS"] == environment["OPENBLAS_NUM_THREADS"] == "2"
    assert environment["MKL_NUM_THREADS"] == "9", "a room knows best"
    assert environment["TMPDIR"] == "/run", "what it leaves behind goes with the run's folder"
    deep = replace(made, workdir=Path("/run" * 20))
    assert "TMPDIR" not in deep.environment(host), "sockets would not fit in there"
    gone = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "KMP_AFFINITY", "MALLOC_ARENA_MAX"}
    assert not gone & environment.keys()


def test_an_error_leaves_the_worker_usable(make: Make) -> None:
    with Worker(make("null").invocation) as worker:
        with pytest.raises(Failure) as caught:
            worker.request("block", 60, steps=1)
        assert caught.value.alive
        prepare(worker, make("null"))


def test_after_its_end_every_request_says_the_same(make: Make) -> None:
    contestant = make("segfault")
    with Worker(contestant.invocation) as worker:
        prepare(worker, contestant)
        ends = []
        for _ in range(2):
            with pytest.raises(Failure) as caught:
                worker.request("train", 60, data=str(contestant.data), batch=8)
            ends.append(caught.value.outcome)
        assert ends[0] == ends[1] and ends[0].status == "crashed"


def test_a_worker_killed_from_outside_is_crashed(make: Make) -> None:
    with Worker(make("null").invocation) as worker:
        psutil.Process(worker.pid).kill()
        with pytest.raises(Failure) as caught:
            worker.request("new", 60, weights=None)
    assert (caught.value.outcome.status, caught.value.outcome.reason) == (
        "crashed",
        "SIGKILL during new",
    )


def test_a_killed_keeper_takes_the_worker_with_it(make: Make, mark: str) -> None:
    with Worker(make("null").invocation) as worker:
        psutil.Process(worker.pid).parent().kill()
        assert wait_for(lambda: marked(mark) == [])
        with pytest.raises(Failure) as caught:
            worker.request("new", 60, weights=None)
    assert caught.value.outcome.status == "crashed"


def test_what_a_killed_keeper_leaves_is_ended_too(make: Make, mark: str) -> None:
    contestant = make("litter")
    with Worker(contestant.invocation) as worker:
        prepare(worker, contestant)
        worker.request("train", 60, data=str(contestant.data), batch=8)
        psutil.Process(worker.pid).parent().kill()
        assert wait_for(lambda: not psutil.pid_exists(worker.pid))
        assert marked(mark), "the program left something running"
    assert wait_for(lambda: marked(mark) == [])


def test_a_stopped_keeper_is_no_obstacle(
    make: Make, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "CLOSE_S", 0.2)
    with Worker(make("null").invocation) as worker:
        psutil.Process(worker.pid).parent().suspend()
    assert wait_for(lambda: marked(mark) == [])


def test_another_protocol_is_refused(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "PROTOCOL", 2)
    with pytest.raises(Failure, match="expected hello 2"):
        Worker(make("null").invocation)


def test_a_large_request_goes_through(make: Make) -> None:
    contestant = make("null")
    layers = [{"name": "x" * 1000} for _ in range(1000)]
    with Worker(contestant.invocation) as worker:
        answer = worker.request(
            "load",
            60,
            program=str(contestant.program),
            bridge=str(contestant.bridge),
            layers=layers,
            threads=1,
        )
    assert answer["version"] == "0"


def test_peak_memory_is_the_high_water_mark(make: Make, tmp_path: Path) -> None:
    """The weights are read and dropped between two looks; the peak is known all the same."""
    weights = tmp_path / "large.npz"
    np.savez(weights, w=np.ones(16 * 2**20, np.float32))
    contestant = make("null")
    with Worker(contestant.invocation) as worker:
        prepare(worker, contestant)
        worker.request("new", 60, weights=str(weights))
        worker.request("new", 60, weights=None)
        assert worker.peak_rss() > 64 * 2**20


def test_a_process_that_ended_has_nothing_below_it() -> None:
    with subprocess.Popen(["true"]) as ended:
        pass
    assert sampling.descendants(ended.pid) == []


def test_a_process_that_ends_while_it_is_looked_at_is_no_obstacle(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def gone(path: str) -> list[str]:
        raise ProcessLookupError(path)

    monkeypatch.setattr(os, "listdir", gone)
    assert sampling.descendants(2**22 + 1) == []


def test_threads_are_checked() -> None:
    assert threads.excess(cpu_s=1.05, wall_s=1.0, running=None, asked=1) == ""
    assert threads.excess(1.9, 1.0, 2.0, 1) == "asked for 1 thread, kept 1.90 busy"
    assert threads.excess(3.9, 1.0, None, 2) == "asked for 2 threads, kept 3.90 busy"
    assert threads.excess(1.9, 1.0, 4.0, 2) == "asked for 2 threads, 4 ran at a time"
    assert threads.excess(1.9, 1.0, 2.0, 2) == ""
    assert threads.excess(0.0, 0.0, None, 1) == ""


def test_the_kernels_kill_is_out_of_memory() -> None:
    assert of_exit(Gone(9), "block", kernel_killed=True).status == "out-of-memory"
    assert of_exit(Gone(9), "block", kernel_killed=False).status == "crashed"
    assert of_exit(Gone(64), "block", False).reason == "SIGRTMAX during block"
    assert of_exit(Gone(63), "block", False).reason == "signal 63 during block"
    assert set(STATUSES) >= {"ok", "crashed", "timed-out"}


@pytest.mark.parametrize("line", [b"rubbish\n", b"[1]\n", b"\xff\xfe\n", b"{}x\n"])
def test_rubbish_on_the_pipe_is_garbage(line: bytes) -> None:
    read, write = os.pipe()
    spare, out = os.pipe()
    channel = Channel(read, out)
    os.write(write, line)
    with pytest.raises(Garbage):
        channel.receive(1.0)
    os.write(write, b'\n{"ok": {}}\n{"half')
    assert channel.receive(1.0) == {"ok": {}}
    assert channel.receive(0.01) is None
    os.close(write)
    with pytest.raises(Closed):
        channel.receive(1.0)
    channel.close()
    os.close(spare)
