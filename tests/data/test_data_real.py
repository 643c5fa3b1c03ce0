"""`real(workload)`: every catalogue workload finds its set, or is told how to get it."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from tiny_sets import Fake, tiny_mnist, write_idx
from workloads_for import workload

from tensorstone.data import getting
from tensorstone.data.baseline import baseline
from tensorstone.data.real import GENERATED, PREPARED, available, real
from tensorstone.data.sets import SETS
from tensorstone.models import Data
from tensorstone.models.load import find, names
from tensorstone.support.errors import StoneError
from tensorstone.support.progress import NoProgress

MIRROR = os.environ.get("STONE_DATA_MIRROR")


def test_every_set_can_be_prepared() -> None:
    assert set(PREPARED) == set(SETS)
    assert not set(PREPARED) & set(GENERATED)


@pytest.mark.parametrize("name", names())
def test_a_catalogue_workload_without_its_set_says_what_to_run(name: str) -> None:
    chosen = find(name)
    if chosen.data.name in GENERATED:
        return
    assert not available(chosen)
    with pytest.raises(StoneError) as caught:
        real(chosen)
    expected = f"run: stone data get {chosen.data.name}"
    assert caught.value.hint == (expected if chosen.data.name in SETS else _known())


def _known() -> str:
    return "there are: " + ", ".join([*PREPARED, *GENERATED])


def test_what_was_got_is_what_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_idx(tmp_path / "files")
    tiny = tiny_mnist(tmp_path / "files", Fake("source", tmp_path / "files"))
    monkeypatch.setitem(SETS, "mnist", tiny)
    made = workload(Data("mnist", 10, values="uniform"), (784,))
    assert not available(made)
    getting.get(tiny, None, NoProgress(), print)
    assert available(made)
    assert real(made).train.x.shape == (10, 784)


@pytest.mark.skipif(not MIRROR, reason="wants STONE_DATA_MIRROR, a folder with the real files")
@pytest.mark.parametrize("name", ["lenet", "gru-imdb", "lstm-series"])
def test_the_real_sets(name: str) -> None:
    chosen = find(name)
    told: list[str] = []
    got = getting.get(SETS[chosen.data.name], Path(str(MIRROR)), NoProgress(), told.append)
    assert (got.state, told) == ("got", [])
    found = real(chosen)
    assert len(found.train) == chosen.data.samples
    if chosen.classifies:
        classes = chosen.model.outputs[0]
        assert set(np.unique(found.test.y)) == set(range(classes))
        assert baseline(found, "accuracy") < 1.2 / classes
    else:
        assert len(found.test) == 359
        assert 0.5 < baseline(found, "r2") < 1
