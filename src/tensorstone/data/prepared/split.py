"""What a workload trains on and is judged on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tensorstone.models.workload import Workload
from tensorstone.support.errors import StoneError

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Split:
    """Inputs and targets in their canonical form (see `tensorstone.data`)."""

    x: NDArray[Any]
    y: NDArray[Any]

    def __len__(self) -> int:
        return len(self.x)


@dataclass(frozen=True)
class Real:
    """A real set as one workload reads it."""

    train: Split
    test: Split
    note: str  # one line: what was done to it


def enough(workload: Workload, there: int) -> int:
    """How many samples train, if there are so many."""
    asked = workload.data.samples
    if asked > there:
        raise StoneError(
            f"{workload.name} asks for {asked:,} training samples of {workload.data.name}, "
            f"which has {there:,}",
            f"write Data({workload.data.name!r}, samples={there:_}, …)",
        )
    return asked


def unfit(workload: Workload, wants: str) -> StoneError:
    """The mistake of a model that cannot read this set."""
    inputs, outputs = workload.model.inputs, workload.model.outputs
    return StoneError(
        f"{workload.name}: the model reads {inputs} and gives {outputs}, "
        f"and {workload.data.name} wants {wants}",
        "change the model's input or its last layer, or name another set (stone list data)",
    )


def class_targets(workload: Workload, labels: NDArray[Any], classes: int) -> NDArray[Any]:
    """Class numbers as this workload's loss reads them."""
    import numpy as np

    if workload.classifies:
        if workload.model.outputs != (classes,):
            raise unfit(workload, f"a score for each of its {classes} classes")
        return np.asarray(labels, np.int64)
    if workload.recipe.loss != "binary-cross-entropy" or classes != 2:
        raise unfit(workload, f"{classes} classes, not {workload.recipe.loss}")
    if workload.model.outputs != (1,):
        raise unfit(workload, "one score, for the second class")
    return np.asarray(labels, np.float32)[:, None]
