"""NVIDIA GPUs, through NVIDIA's own `nvidia-ml-py` if the user has it.

It is no dependency and is imported only when asked for. Inside a container the driver may name
processes by their numbers outside of it; then none of the worker's is found and the memory is 0.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from functools import cache
from typing import Any

from tensorstone.runtime import messages


class _Absent(Exception):
    """Why there is nothing to read."""


def why_not() -> str:
    """Why no GPU can be read, or nothing when one can."""
    try:
        _devices()
    except _Absent as reason:
        return str(reason)
    return ""


def memory(pids: Iterable[int]) -> int | None:
    """Bytes these processes hold on all GPUs together; None if the driver does not say."""
    wanted, total = set(pids), 0
    try:
        nvml, devices = _devices()
        for device in devices:
            # A process that computes and draws is in both lists, with the same bytes.
            held = {
                process.pid: process.usedGpuMemory
                for list_of in (
                    nvml.nvmlDeviceGetGraphicsRunningProcesses,
                    nvml.nvmlDeviceGetComputeRunningProcesses,
                )
                for process in _said(nvml, list_of, device)
                if process.pid in wanted
            }
            if None in held.values():
                return None
            total += sum(held.values())
    except _Absent:
        return None
    return total


def utilisation() -> tuple[float, ...] | None:
    """The share of the last moment (a sixth of a second to a second) that each GPU was in use."""
    try:
        nvml, devices = _devices()
        return tuple(
            _said(nvml, nvml.nvmlDeviceGetUtilizationRates, device).gpu / 100 for device in devices
        )
    except _Absent:
        return None


def _devices() -> tuple[Any, list[Any]]:
    """The library, awake, and every GPU there is."""
    nvml = _library()
    count = _said(nvml, nvml.nvmlDeviceGetCount)
    if not count:
        raise _Absent(messages.NO_GPU)
    return nvml, [_said(nvml, nvml.nvmlDeviceGetHandleByIndex, index) for index in range(count)]


@cache
def _library() -> Any:
    try:
        nvml = importlib.import_module("pynvml")
    except ImportError:
        raise _Absent(messages.NO_NVML) from None
    _said(nvml, nvml.nvmlInit)
    return nvml


def _said(nvml: Any, ask: Any, *arguments: Any) -> Any:
    try:
        return ask(*arguments)
    except nvml.NVMLError as error:
        raise _Absent(messages.driver_says(error)) from error
