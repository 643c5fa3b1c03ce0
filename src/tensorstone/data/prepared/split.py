"""What a workload trains on and is judged on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tensorstone.data import messages
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
        raise StoneError(*messages.too_few_samples(workload.name, asked, workload.data.name, there))
    return asked


def unfit(workload: Workload, wants: str) -> StoneError:
    """The mistake of a model that cannot read this set."""
    inputs, outputs = workload.model.inputs, workload.model.outputs
    message = messages.unfit(workload.name, inputs, outputs, workload.data.name, wants)
    return StoneError(*message)


def class_targets(workload: Workload, labels: NDArray[Any], classes: int) -> NDArray[Any]:
    """Class numbers as this workload's loss reads them."""
    import numpy as np

    if workload.classifies:
        if workload.model.outputs != (classes,):
            raise unfit(workload, messages.wants_scores(classes))
        return np.asarray(labels, np.int64)
    if workload.recipe.loss != "binary-cross-entropy" or classes != 2:
        raise unfit(workload, messages.wants_classes(classes, workload.recipe.loss))
    if workload.model.outputs != (1,):
        raise unfit(workload, messages.WANTS_ONE_SCORE)
    return np.asarray(labels, np.float32)[:, None]
