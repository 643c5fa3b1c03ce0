"""What a workload is trained on and judged by: its real data, or synthetic data of its shape."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Literal

from tensorstone.data.prepared.split import Real, Split
from tensorstone.models.workload import Workload
from tensorstone.support.errors import StoneError

Kind = Literal["real", "synthetic"]
VALUES = 25_000_000  # a synthetic set's at most: large enough to learn from, quick to make


def training_data(workload: Workload, kind: Kind) -> Real:
    """Training and test samples; a set that is not on this machine is a mistake said as such."""
    if kind == "real":
        from tensorstone.data.real import real

        try:
            return real(workload)
        except StoneError as error:
            hint = f"{error.hint}; or train on made-up samples: --data synthetic"
            raise StoneError(error.message, hint) from None
    return _synthetic(workload)


def write_split(split: Split, path: Path) -> Path:
    """As workers read samples."""
    import numpy as np

    np.savez(path, x=split.x, y=split.y)
    return path


def _synthetic(workload: Workload) -> Real:
    from tensorstone.data.synthetic import synthetic

    batch, asked = workload.recipe.batch, workload.data.samples
    affordable = max(batch, VALUES // math.prod(workload.model.inputs))
    count = min(asked, affordable)
    judged = max(batch, count // 4)
    cut = f" ({asked:,} are too many to make)" if count < asked else ""
    return Real(
        Split(*synthetic(workload, count, seed=0)),
        Split(*synthetic(workload, judged, seed=1)),
        f"synthetic, random inputs with targets by a fixed linear rule; {count:,} samples{cut}, "
        f"judged on {judged:,} others",
    )
