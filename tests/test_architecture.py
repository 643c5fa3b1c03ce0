"""Who may import whom: the contracts of pyproject.toml hold, and each of them can fail."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "tensorstone"
LINT = Path(sys.executable).parent / "lint-imports"
CONTRACTS: list[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"][
    "importlinter"
]["contracts"]
# Run inside frameworks' interpreters, where nothing of tensorstone is.
INSIDE = [
    *(ROOT / "src" / "stone_worker").glob("*.py"),
    *(SOURCE / "dialects").glob("*/bridge.py"),
    SOURCE / "session" / "noise_program.py",
]


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """Import-linter on the source below a folder, by this checkout's contracts."""
    return subprocess.run(
        [LINT, "--no-cache", "--no-logo", "--config", ROOT / "pyproject.toml"],
        capture_output=True,
        text=True,
        cwd=folder,
        env={"PYTHONPATH": str(folder / "src"), "COLUMNS": "400"},
    )


def test_every_contract_is_kept() -> None:
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"Contracts: {len(CONTRACTS)} kept, 0 broken." in done.stdout


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What import-linter says of a copy where each contract is broken by an import of its own."""
    folder = tmp_path_factory.mktemp("broken")
    only_source = shutil.ignore_patterns("__pycache__", "*.lock", "*.jinja")
    shutil.copytree(ROOT / "src", folder / "src", ignore=only_source)
    for number, contract in enumerate(CONTRACTS):
        breaks(contract, number, folder / "src")
    done = lint(folder)
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("number", range(len(CONTRACTS)))
def test_a_contract_can_fail(broken: str, number: int) -> None:
    assert f"{CONTRACTS[number]['name']} BROKEN" in broken
    assert f"planted_{number}" in broken


def breaks(contract: dict[str, Any], number: int, source: Path) -> None:
    """Plant a module that breaks the contract, and no other by itself alone."""
    if contract["type"] == "independence":
        importer, imported = contract["modules"][:2]
    else:
        importer, imported = contract["source_modules"][0], contract["forbidden_modules"][0]
    place = source.joinpath(*importer.split("."))
    statement = f"import {imported}\n"
    (place / f"planted_{number}.py").write_text(statement)


def test_no_package_is_without_a_contract() -> None:
    there = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()}
    bound = {
        name.removeprefix("tensorstone.")
        for contract in CONTRACTS
        for name in contract.get("source_modules", contract.get("modules", ()))
    }
    assert bound >= there


@pytest.mark.parametrize("file", INSIDE, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_runs_inside_an_environment_imports_nothing_of_tensorstone(file: Path) -> None:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        assert not [name for name in names if name.split(".")[0] == "tensorstone"]
