"""A workload as a person reads it: its layers with shapes and counts, its recipe, its data."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class DescribedLayer(Struct, frozen=True):
    """A layer, or a join of several paths."""

    name: str
    kind: str
    settings: str  # "channels=6, kernel=5"; those that are as usual are left out
    output: tuple[int, ...]
    parameters: int
    multiplications: int  # of one sample, forwards


class Description(Struct, frozen=True):
    """Everything a workload says, and what follows from it."""

    name: str
    title: str
    source: str
    model: str
    input: tuple[int, ...]
    layers: tuple[DescribedLayer, ...]
    parameters: int
    multiplications: int  # of one sample, forwards
    flops: int  # the same in floating-point operations: each multiplication with its addition
    step_flops: int  # of a training step, about: forwards, and backwards twice as many
    loss: str
    optimiser: str
    batch: int
    epochs: int
    metric: str
    initial_weights: str
    data: str
    samples: int
    values: str  # what synthetic inputs look like
    data_state: Literal["here", "generated", "to-get", "none"]  # of the real set
