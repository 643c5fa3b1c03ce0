"""Joules from a fake powercap tree."""

from __future__ import annotations

from pathlib import Path

import pytest
from trees import tree

from tensorstone.runtime.gauges import energy


def domain(number: str, name: str, used: str, full: str = "1000000") -> dict[str, str]:
    at = f"intel-rapl:{number}"
    return {
        f"{at}/name": f"{name}\n",
        f"{at}/energy_uj": f"{used}\n",
        f"{at}/max_energy_range_uj": f"{full}\n",
    }


def test_packages_count_and_their_parts_do_not(tmp_path: Path) -> None:
    root = tree(
        tmp_path,
        {
            **domain("0", "package-0", "100"),
            **domain("0:0", "core", "90"),
            **domain("1", "package-1", "200"),
            **domain("2", "psys", "999"),
            **{f"intel-rapl-mmio:0/{file}": "1" for file in ("name", "energy_uj")},
        },
    )
    found = energy.reading(root)
    assert found is not None and found.packages == {"intel-rapl:0": 100, "intel-rapl:1": 200}
    assert energy.available(root) and energy.why_not(root) == ""


def test_a_counter_that_turned_is_followed(tmp_path: Path) -> None:
    before = energy.reading(tree(tmp_path / "a", domain("0", "package-0", "900000")))
    after = energy.reading(tree(tmp_path / "b", domain("0", "package-0", "400000")))
    assert before and after
    assert energy.joules(before, after) == pytest.approx(0.5)
    assert energy.joules(after, before) == pytest.approx(0.5)


def test_packages_that_changed_make_no_sum(tmp_path: Path) -> None:
    before = energy.reading(tree(tmp_path / "a", domain("0", "package-0", "1")))
    after = energy.reading(tree(tmp_path / "b", domain("1", "package-1", "2")))
    assert before and after and energy.joules(before, after) is None


def test_without_it_there_is_a_reason(tmp_path: Path) -> None:
    assert "does not count" in energy.why_not(tmp_path / "absent")
    assert energy.reading(tmp_path / "absent") is None
    assert not energy.hidden(tmp_path / "absent") and not energy.available(tmp_path / "absent")
    hidden = tree(tmp_path, domain("0", "package-0", "secret"))
    assert "root" in energy.why_not(hidden) and energy.hidden(hidden)


def test_one_package_that_is_hidden_hides_all(tmp_path: Path) -> None:
    root = tree(tmp_path, {**domain("0", "package-0", "1"), **domain("1", "package-1", "")})
    assert energy.reading(root) is None
