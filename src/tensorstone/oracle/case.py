"""What is computed: the graph and the recipe, with the deviations that are switched on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from tensorstone.models.graph import Graph
from tensorstone.models.recipe import Loss, Optimiser
from tensorstone.oracle.conventions import CONVENTIONS
from tensorstone.oracle.losses import ONE_BY_ONE

Arrays = dict[str, np.ndarray]  # canonical name → array

RECIPE_QUIRKS: dict[str, str] = {
    "sum-over-batch": "the loss is summed over the batch instead of averaged",
    "unit-gain-momentum": "v ← momentum · v + (1 − momentum) · g",
    "epsilon-inside-root": "Adam divides by √(v̂ + ε), RMSprop by √(a + ε)",
    "no-bias-correction": "Adam uses m and v as they are",
    "weight-decay": "1e-4 · w is added to every gradient",
    "lazy-rows": "rows of an embedding's table without a gradient are left out of the update",
    "shuffled-batches": "samples come in another order (one fixed shuffle)",
    "reversed-batches": "the batches come last to first",
    "remainder-kept": "an incomplete last batch is trained on as it is",
    "remainder-padded": "an incomplete last batch is filled up from the first samples",
}


@dataclass(frozen=True)
class Case:
    """A training run, deviations included: nodes carry `quirks` of their own."""

    graph: Graph
    loss: Loss
    optimiser: Optimiser
    batch: int
    conventions: frozenset[str] = frozenset()  # permitted variants
    quirks: frozenset[str] = frozenset()  # known ways of getting the recipe wrong

    def __post_init__(self) -> None:
        # A misspelt name would silently compute the right thing where a wrong one was meant.
        _known("convention", self.conventions, CONVENTIONS)
        _known("recipe quirk", self.quirks, [*RECIPE_QUIRKS, ONE_BY_ONE])

    @property
    def key(self) -> str:
        """The case as text, the same in every process: what a cache is keyed by."""
        nodes = ";".join(
            f"{node.name}|{node.layer!r}|{node.inputs}|{sorted(node.quirks)}"
            f"|{[weight.role for weight in node.weights]}"
            for node in self.graph.nodes
        )
        recipe = f"{self.loss}|{self.optimiser!r}|{self.batch}"
        return f"{self.graph.inputs}|{nodes}|{recipe}|{_sorted(self.conventions, self.quirks)}"


def _known(what: str, names: Iterable[str], table: Iterable[str]) -> None:
    unknown = set(names) - set(table)
    if unknown:
        raise ValueError(f"unknown {what}: {', '.join(sorted(unknown))}")


def _sorted(*names: frozenset[str]) -> str:
    return "|".join(",".join(sorted(group)) for group in names)
