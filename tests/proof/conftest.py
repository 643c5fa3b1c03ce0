"""One PyTorch worker for all tests here, and oracle results kept for this run only."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytorch_trials import Prove, pytorch


@pytest.fixture(scope="session")
def prove(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prove]:
    with pytorch(tmp_path_factory.mktemp("pytorch")) as prove:
        yield prove
