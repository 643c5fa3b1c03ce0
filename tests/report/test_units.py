"""Numbers and durations as people read and type them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorstone.report import units
from tensorstone.support import durations
from tensorstone.support.errors import StoneError


@pytest.mark.parametrize(
    ("text", "expected"),
    [("90", 90), ("90s", 90), ("5m", 300), ("2min", 120), ("1h30m", 5400), ("1.5m", 90)],
)
def test_durations(text: str, expected: float) -> None:
    assert durations.seconds(text) == expected


@pytest.mark.parametrize("text", ["", "soon", "5x", "-3s", "0s", "5m later"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(StoneError, match="not a duration"):
        durations.seconds(text)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.0123, "12.3 ms"),
        (1.0, "1.00 s"),
        (0.9999, "1.00 s"),
        (2.5e-7, "250 ns"),
        (0.0, "0 ns"),
        (5400.0, "5400 s"),
        (177_825.0, "49.4 h"),
    ],
)
def test_seconds(value: float, expected: str) -> None:
    assert units.seconds(value) == expected


@given(st.floats(min_value=1e-9, max_value=1e5))
def test_three_digits_are_kept(value: float) -> None:
    number, unit = units.seconds(value).split()
    scale = {"h": 3600, "s": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}[unit]
    assert float(number) * scale == pytest.approx(value, rel=6e-3)


def test_counts_and_shares() -> None:
    assert [units.count(n) for n in (0.5, 12, 999.4, 999.6, 12_345, 2e6, 3.45e9)] == [
        "0.5",
        "12.0",
        "999",
        "1.00k",
        "12.3k",
        "2.00M",
        "3.45G",
    ]
    assert [units.percent(s) for s in (1.0, 0.125, 0.0096, 0.0031)] == [
        "100 %",
        "12 %",
        "1 %",
        "0.3 %",
    ]
    assert units.seconds_together([0.0123, 0.5]) == "12.3/500 ms"


def test_an_interval_is_in_the_values_unit() -> None:
    assert units.seconds_between(0.0123, 0.0119, 0.0128) == "12.3 ms 11.9–12.8"
    assert units.ratio_between(1.85, None, None) == "×1.85"
