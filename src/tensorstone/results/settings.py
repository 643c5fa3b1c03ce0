"""How carefully something is measured: what a race and whole trainings are asked for."""

from __future__ import annotations

from msgspec import Struct


class RaceSettings(Struct, frozen=True, tag="race", tag_field="kind"):
    """How a race is run. Times in seconds."""

    budget_s: float = 300.0
    precision: float = 0.02  # wanted half-width of every ratio's interval
    block_s: float = 0.05  # short: the nearer two blocks are, the more alike is what disturbs them
    turns: int | None = None  # of a group; None: by what starting costs
    min_rounds: int = 4  # fewer do not tell contestants apart
    warmup_steps: int = 5  # at least, unless they take longer than warmup_s
    warmup_s: float = 10.0
    trial_timeout_s: float | None = None  # None: from the budget and what was seen
    memory_limit: int | None = None  # bytes; None: most of what is free when a worker starts
    deployments: int = 0  # of how many trials saving, loading and predicting are measured too
    feed_workers: int = 0  # processes that a loader is measured with as well, where it can have any
    memory_kept: bool = False  # whether the C library is told to keep what is freed
    seed: int = 0


class TrainingSettings(Struct, frozen=True, tag="training", tag_field="kind"):
    """Whole trainings: the same for every dialect. Facts of the data that judge them are here too,
    so that a training can be judged again without its data."""

    epochs: int
    seeds: int
    timeout_s: float  # of one answer, so of one epoch
    train_samples: int = 0
    test_samples: int = 0
    baseline: float | None = None  # the trivial model's metric; None: nobody was trained
    resolution: float = 0.0  # what float32 can tell of the metric
    note: str = ""  # what the data is


class ProofSettings(Struct, frozen=True, tag="proof", tag_field="kind"):
    """Proofs alone."""

    timeout_s: float


class DoctorSettings(Struct, frozen=True, tag="doctor", tag_field="kind"):
    """A look at the machine, with its noise measured or not."""

    quick: bool = False


Settings = RaceSettings | TrainingSettings | ProofSettings | DoctorSettings
