"""NVML, played by a fake module."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from tensorstone.runtime.gauges import gpu


class NvmlError(Exception):
    pass


def process(pid: int, used: int | None) -> SimpleNamespace:
    return SimpleNamespace(pid=pid, usedGpuMemory=used)


def fake(compute: list[list[SimpleNamespace]], **changed: Any) -> SimpleNamespace:
    """A driver with as many GPUs as there are lists of processes."""
    functions = {
        "NVMLError": NvmlError,
        "nvmlInit": lambda: None,
        "nvmlDeviceGetCount": lambda: len(compute),
        "nvmlDeviceGetHandleByIndex": lambda index: index,
        "nvmlDeviceGetComputeRunningProcesses": lambda index: compute[index],
        "nvmlDeviceGetGraphicsRunningProcesses": lambda index: compute[index][:1],
        "nvmlDeviceGetUtilizationRates": lambda index: SimpleNamespace(gpu=50 + index),
    }
    return SimpleNamespace(**{**functions, **changed})


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    gpu._library.cache_clear()
    yield
    gpu._library.cache_clear()


def install(monkeypatch: pytest.MonkeyPatch, module: object) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", module)


def test_memory_is_that_of_the_given_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, fake([[process(1, 100), process(2, 7)], [process(1, 30)]]))
    assert gpu.why_not() == ""
    assert gpu.memory([1]) == 130, "both GPUs; once though both lists name it"
    assert gpu.memory([1, 2, 3]) == 137
    assert gpu.memory([9]) == 0
    assert gpu.utilisation() == (0.5, 0.51)


def test_a_driver_that_does_not_say_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, fake([[process(1, None)]]))
    assert gpu.memory([1]) is None
    assert gpu.memory([2]) == 0


def test_without_the_package_there_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, None)
    assert "nvidia-ml-py" in gpu.why_not()
    assert gpu.memory([1]) is None and gpu.utilisation() is None


def test_without_a_driver_or_a_gpu_there_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_driver() -> None:
        raise NvmlError("NVML Shared Library Not Found")

    install(monkeypatch, fake([], nvmlInit=no_driver))
    assert "Shared Library" in gpu.why_not()
    install(monkeypatch, fake([]))
    assert "no NVIDIA GPU" in gpu.why_not()
    assert gpu.utilisation() is None


def test_an_answer_refused_later_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(index: int) -> None:
        raise NvmlError("Not Supported")

    install(monkeypatch, fake([[]], nvmlDeviceGetUtilizationRates=refused))
    assert gpu.why_not() == ""
    assert gpu.utilisation() is None
