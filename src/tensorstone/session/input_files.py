"""The same weights and the same samples for every contestant, as files."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, replace
from pathlib import Path

from tensorstone.models.workload import Workload

# Enough distinct batches that no cache holds them all, few enough to be quick to make and load.
BATCHES = 8
VALUES = 25_000_000


@dataclass(frozen=True)
class Inputs:
    """Files, and what they are known by."""

    weights: Path
    data: Path
    weights_sha: str = ""
    data_sha: str = ""

    @classmethod
    def of(cls, weights: Path, data: Path) -> Inputs:
        return cls(weights, data, file_sha(weights), file_sha(data))


def write_inputs(workload: Workload, folder: Path) -> Inputs:
    """Initial weights and seeded synthetic samples; the workers repeat them as they need."""
    import numpy as np

    from tensorstone.data.synthetic import synthetic
    from tensorstone.models.initial import initial_weights

    weights, data = folder / "weights.npz", folder / "data.npz"
    x, y = synthetic(workload, samples(workload), workload.init.seed)
    np.savez(weights, **initial_weights(workload.model, workload.init))  # type: ignore[arg-type]
    np.savez(data, x=x, y=y)
    return Inputs.of(weights, data)


def samples(workload: Workload) -> int:
    """Whole batches."""
    batch = workload.recipe.batch
    affordable = VALUES // (batch * math.prod(workload.model.inputs))
    return batch * max(1, min(BATCHES, affordable, workload.data.samples // batch))


def file_sha(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def seed_weights(workload: Workload, seed: int, folder: Path) -> Path:
    """The initial weights of a seed, counted from 1; they take the place of those of the last."""
    import numpy as np

    from tensorstone.models.initial import initial_weights

    init = replace(workload.init, seed=workload.init.seed + seed - 1)
    path = folder / "weights.npz"
    np.savez(path, **initial_weights(workload.model, init))  # type: ignore[arg-type]
    return path
