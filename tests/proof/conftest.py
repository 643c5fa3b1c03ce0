"""One PyTorch worker for all tests here; what is computed is kept apart from the user's cache."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytorch_trials import FRAMEWORK, Prove, pytorch

from tensorstone.dialects.registry import frameworks
from tensorstone.runtime.environments.install import ensure


@pytest.fixture(scope="session")
def pytorch_python() -> Path:
    """From the user's own environments: session fixtures come before the cache is moved."""
    return ensure(frameworks()[FRAMEWORK]).python


@pytest.fixture(scope="session")
def prove(pytorch_python: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prove]:
    with pytorch(pytorch_python, tmp_path_factory.mktemp("pytorch")) as prove:
        yield prove


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STONE_CACHE", str(tmp_path / "cache"))
