"""A watch over fake trees, and what is said of it."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest
from msgspec.structs import replace

from tensorstone.results.machine import Machine
from tensorstone.results.run import Finding
from tensorstone.runtime.machine import this_machine
from tensorstone.session.doctor import moment, watching
from tensorstone.session.doctor.watching import Watched


@pytest.fixture
def machine() -> Machine:
    return replace(this_machine(), logical_cores=2, affinity=(0, 1))


def said(machine: Machine, watched: Watched | None) -> dict[str, Finding]:
    return {finding.what: finding for finding in moment.findings(machine, watched)}


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def process(pid: int, name: str | None, percent: float) -> SimpleNamespace:
    return SimpleNamespace(pid=pid, info={"name": name}, cpu_percent=lambda _: percent)


def test_a_watch_reads_clocks_temperatures_and_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ended(_: object) -> float:
        raise psutil.NoSuchProcess(5)

    monkeypatch.setattr(
        watching.psutil,
        "process_iter",
        lambda _: [
            process(os.getpid(), "stone", 100.0),
            process(2, "java", 30.0),
            process(3, "java", 30.0),
            process(4, None, 50.0),
            process(6, "idle", 0.0),
            SimpleNamespace(pid=5, info={"name": "gone"}, cpu_percent=ended),
            process(7, "cc", 10.0),
        ],
    )
    for cpu, khz in ((0, "1000000"), (1, "3000000"), (2, "odd")):
        write(tmp_path / f"sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_cur_freq", khz)
    write(tmp_path / "sys/class/thermal/thermal_zone0/temp", "41500\n")
    write(tmp_path / "proc/stat", "cpu 1 1 1 1 1 1 1 1\ncpu0 1\n")
    ticks: list[None] = []
    watched = watching.watch(lambda: ticks.append(None), 0.01, tmp_path / "proc", tmp_path / "sys")
    assert len(ticks) == watching.LOOKS
    assert [name for name, _ in watched.busiest] == ["java", "process 4", "cc"]
    assert watched.busiest[0][1] == pytest.approx(0.6)
    assert set(watched.mhz) == {3000.0} and set(watched.celsius) == {41.5}
    assert watched.stolen == 0.0 and watched.background_load is not None


def test_a_watch_that_sees_nothing_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, machine: Machine
) -> None:
    monkeypatch.setattr(watching.psutil, "process_iter", lambda _: [])
    watched = watching.watch(seconds=0.01, proc=tmp_path, sys=tmp_path)
    assert watched == Watched(watched.wall_s)
    assert list(said(machine, watched)) == list(said(machine, None)) == ["other load"]


def test_a_busy_neighbour_is_named(machine: Machine) -> None:
    found = said(machine, Watched(1.0, 0.8, busiest=(("java", 0.7), ("cron", 0.01))))
    load = found["other load"]
    assert load.state == "warning"
    assert load.found == "others keep 0.80 of 2 processors busy: java 0.70"
    assert "close" in load.advice


def test_load_that_nobody_shows_is_said_to_be_hidden(machine: Machine) -> None:
    load = said(machine, Watched(1.0, 0.8))["other load"]
    assert load.state == "warning" and "on the host" in load.advice


def test_a_quiet_machine_is_good(machine: Machine) -> None:
    quiet = Watched(1.0, 0.02, 0.0, mhz=(2990.0, 3000.0), celsius=(40.0, 41.0))
    found = said(machine, quiet)
    assert list(found) == ["other load", "stolen time", "clock drift", "temperature"]
    assert {finding.state for finding in found.values()} == {"good"}


@pytest.mark.parametrize(
    ("what", "watched"),
    [
        ("stolen time", Watched(1.0, stolen=0.03)),
        ("clock drift", Watched(1.0, mhz=(3000.0, 2500.0))),
        ("temperature", Watched(1.0, celsius=(60.0, 66.0))),
        ("temperature", Watched(1.0, celsius=(95.0, 95.0))),
    ],
)
def test_what_makes_numbers_worse_is_a_warning_with_advice(
    what: str, watched: Watched, machine: Machine
) -> None:
    finding = said(machine, watched)[what]
    assert finding.state == "warning" and finding.advice
