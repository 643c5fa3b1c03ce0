"""Numbers as a person reads them."""

from __future__ import annotations

from collections.abc import Sequence

_TIMES = ((3600.0, "h"), (1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def digits(value: float) -> str:
    """Three significant digits, never in powers of ten: 0.0123, 1.23, 12.3, 1234."""
    if value == 0:
        return "0"
    magnitude = abs(value)
    if magnitude >= 99.95:
        return f"{value:.0f}"
    if magnitude >= 9.995:
        return f"{value:.1f}"
    if magnitude >= 0.9995:
        return f"{value:.2f}"
    return f"{value:.3g}"


def seconds(value: float) -> str:
    """12.3 ms"""
    scale, unit = _time_unit(value)
    return f"{digits(value / scale)} {unit}"


def seconds_between(value: float, low: float | None, high: float | None) -> str:
    """12.3 ms 11.9–12.8, all in the value's unit."""
    if low is None or high is None:
        return seconds(value)
    scale, unit = _time_unit(value)
    return f"{digits(value / scale)} {unit} {digits(low / scale)}–{digits(high / scale)}"


def seconds_together(values: Sequence[float]) -> str:
    """12.3/14.1/20.8 ms, all in the first one's unit."""
    scale, unit = _time_unit(values[0])
    return f"{'/'.join(digits(value / scale) for value in values)} {unit}"


def seconds_apart(values: Sequence[float]) -> str:
    """4.2/6.1 ms, or each in its own unit: 825 µs/1.98 s."""
    if len({_time_unit(value) for value in values}) == 1:
        return seconds_together(values)
    return "/".join(map(seconds, values))


def ratio_between(value: float, low: float | None, high: float | None) -> str:
    """×1.85 1.80–1.91; the fastest's own ratio is 1 and has no interval."""
    if low is None or high is None or low == high:
        return f"×{digits(value)}"
    return f"×{digits(value)} {digits(low)}–{digits(high)}"


def count(value: float) -> str:
    """Large numbers in three digits: 12.3k"""
    for scale, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= scale * 0.9995:
            return f"{digits(value / scale)}{prefix}"
    return digits(value)


def percent(share: float) -> str:
    """Of a whole: 12 %, and below one 0.3 %."""
    return f"{100 * share:.0f} %" if share >= 0.0095 else f"{100 * share:.1g} %"


def memory(count: float) -> str:
    """Bytes in units of 1024: 523 MiB."""
    for unit in ("B", "KiB", "MiB"):
        if count < 1023.5:
            return f"{count:.0f} {unit}"
        count /= 1024
    return f"{count:.1f} GiB"


def _time_unit(value: float) -> tuple[float, str]:
    for scale, unit in _TIMES:
        if abs(value) >= scale * (2 if unit == "h" else 0.9995):  # 5400 s is read as it is
            return scale, unit
    return _TIMES[-1]
