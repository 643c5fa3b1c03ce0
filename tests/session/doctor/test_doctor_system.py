"""Huge pages, swap, the shell's variables, what can be counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from stone_worker import counters
from tensorstone.results.run import Finding
from tensorstone.runtime.gauges import energy, gpu
from tensorstone.session.doctor import counting, shell, system


def memory(tmp_path: Path, huge_pages: str = "", meminfo: str = "") -> dict[str, Finding]:
    enabled = tmp_path / "sys/kernel/mm/transparent_hugepage/enabled"
    enabled.parent.mkdir(parents=True)
    enabled.write_text(huge_pages, encoding="utf-8")
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/meminfo").write_text(meminfo, encoding="utf-8")
    found = system.findings(tmp_path / "proc", tmp_path / "sys")
    return {finding.what: finding for finding in found}


@pytest.mark.parametrize(
    ("setting", "state"),
    [
        ("[always] madvise never", "good"),
        ("always [madvise] never", "good"),
        ("always madvise [never]", "note"),
    ],
)
def test_the_setting_for_huge_pages_is_said(setting: str, state: str, tmp_path: Path) -> None:
    finding = memory(tmp_path, huge_pages=setting)["huge pages"]
    assert finding.state == state
    assert bool(finding.advice) == (state != "good")


def test_swap_in_use_is_said_and_much_of_it_warned_of(tmp_path: Path) -> None:
    def swap(name: str, free: int) -> Finding:
        text = f"MemTotal: 9 kB\nSwapTotal:  1048576 kB\nSwapFree:  {free} kB\n"
        return memory(tmp_path / name, meminfo=text)["swap"]

    assert swap("none", 1048576).found == "none in use"
    some, much = swap("some", 1048576 - 1024), swap("much", 0)
    assert (some.state, some.found) == ("good", "1 MiB in use")
    assert much.state == "warning" and "swapoff" in much.advice


def test_what_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    assert list(memory(tmp_path, huge_pages="odd", meminfo="odd")) == ["allocator"]
    assert [found.what for found in system.findings(tmp_path, tmp_path)] == ["allocator"]


def test_variables_that_are_overridden_are_noted_and_those_that_are_not_warned_of() -> None:
    found = list(
        shell.findings(
            {
                "OMP_NUM_THREADS": "4",
                "MALLOC_ARENA_MAX": "1",
                "KMP_AFFINITY": "compact",
                "KMP_BLOCKTIME": "0",
                "LD_PRELOAD": "",
                "PATH": "/bin",
            }
        )
    )
    assert [finding.state for finding in found] == ["note", "warning"]
    assert found[0].found.endswith("KMP_AFFINITY, MALLOC_ARENA_MAX, OMP_NUM_THREADS")
    assert found[1].advice.startswith("unset KMP_BLOCKTIME")
    assert "LD_PRELOAD" not in found[1].found, "an empty one does nothing"
    assert list(shell.findings({"PATH": "/bin"})) == []


def test_what_is_not_counted_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden() -> str:
        raise counters.Forbidden("this user may not")

    monkeypatch.setattr(counters, "possible", forbidden)
    monkeypatch.setattr(energy, "why_not", lambda: "only root")
    monkeypatch.setattr(energy, "hidden", lambda: True)
    monkeypatch.setattr(gpu, "why_not", lambda: "no package")
    found = list(counting.findings())
    assert [finding.what for finding in found] == ["instructions", "energy", "GPU"]
    assert {finding.state for finding in found} == {"note"}
    assert [finding.found for finding in found] == [
        "not counted: this user may not",
        "not counted: only root",
        "not counted: no package",
    ]
    assert "sysctl" in found[0].advice and "chmod" in found[1].advice


def test_what_is_counted_is_good(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counters, "possible", lambda: "user")
    monkeypatch.setattr(energy, "why_not", lambda: "")
    monkeypatch.setattr(gpu, "why_not", lambda: "")
    assert {finding.state for finding in counting.findings()} == {"good"}
