"""The one table of metrics: every figure a cell can have, what it means and how it comes about.

Columns, `--json`, exports and docs/json.md are made from it. A new metric is a line here, and
whatever measures it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tensorstone.results.trial import Block, Deployment, Feeding, Trial

# How the values of several processes become one figure (analysis/summary.py):
#   mean        geometric mean, with its confidence interval over processes
#   seen        median, with the least and the most
#   per-step    what blocks counted, by step: median over processes, with the least and the most
#   percentile  of all calls of all processes, with an interval from the processes' own percentiles
#   counted     a number that is no measurement
#   training    made from epochs (analysis/curves.py)
How = Literal["mean", "seen", "per-step", "percentile", "counted", "training"]
Say = Literal["time", "bytes", "count", "number", "share", "metric"]
Better = Literal["less", "more", "neither"]
Read = Callable[[Trial], float | None]


@dataclass(frozen=True)
class Metric:
    """One figure. `read` takes it from a trial, `of_block` from a block, `calls` the calls whose
    percentile it is; a rate is `batch / read`."""

    key: str
    unit: str
    better: Better
    say: Say  # how its number is written
    how: How
    meaning: str
    measured: str
    read: Read | None = None
    of_block: Callable[[Block], float | None] | None = None
    calls: Callable[[Deployment], tuple[float, ...]] | None = None
    share: float = 0.0  # of a percentile
    rate: bool = False  # `read` gives seconds a batch, the figure is samples a second


def _deployed(read: Callable[[Deployment], float | None]) -> Read:
    return lambda trial: read(trial.deployment) if trial.deployment else None


def _middle(calls: tuple[float, ...]) -> float | None:
    return sorted(calls)[len(calls) // 2] if len(calls) % 2 else _between(calls)


def _between(calls: tuple[float, ...]) -> float | None:
    if not calls:
        return None
    ordered, half = sorted(calls), len(calls) // 2
    return (ordered[half - 1] + ordered[half]) / 2


def _batch_s(feeding: Feeding | None) -> float | None:
    """Seconds a batch of the program's own loader."""
    if feeding is None or not feeding.batches or not feeding.walls_s:
        return None
    return max((_middle(feeding.walls_s) or 0.0) / feeding.batches, SHORTEST_S)


def _slice_s(feeding: Feeding | None) -> float | None:
    if feeding is None or not feeding.slices or not feeding.slice_walls_s:
        return None
    return (_middle(feeding.slice_walls_s) or 0.0) / feeding.slices


def _feed_share(trial: Trial) -> float | None:
    batch_s = _batch_s(trial.feeding)
    return None if batch_s is None or not trial.blocks else batch_s / trial.step_s


def _user_s(block: Block) -> float | None:
    return None if block.system_s is None else block.cpu_s - block.system_s


SHORTEST_S = 1e-9  # a clock that did not move must not divide by zero

_STEP = "blocks of steps, each ended by the framework's own synchronise; the median block"
_FIRST = "once in every fresh process"
_BLOCKS = "counted by the kernel over the timed blocks"
_OUTSIDE = "read from /proc while the worker runs"
_LOADER = "the program's own `batches`, taken and dropped"
_SAVED = "after the last block"
_RELOADED = "in a fresh process that loaded what was saved"
_ROUNDS = "whole trainings, one a seed"
_TEXT = "read off the program's text"

TABLE: tuple[Metric, ...] = (
    Metric("step_s", "s", "less", "time", "mean", "one training step", _STEP,
           read=lambda t: t.step_s if t.blocks else None),
    Metric("cold_import_s", "s", "less", "time", "mean",
           "importing the framework and the program", _FIRST, read=lambda t: t.cold_import_s),
    Metric("cold_build_s", "s", "less", "time", "mean",
           "building the network and the learner", _FIRST, read=lambda t: t.cold_build_s),
    Metric("cold_first_step_s", "s", "less", "time", "mean",
           "the first training step, compiling included", _FIRST,
           read=lambda t: t.cold_first_step_s),
    Metric("peak_rss_bytes", "B", "less", "bytes", "seen",
           "the most resident memory, child processes included", _OUTSIDE,
           read=lambda t: t.peak_rss_bytes),
    Metric("unique_bytes", "B", "less", "bytes", "seen",
           "memory that no other process shares", "after the last block, from smaps_rollup",
           read=lambda t: t.unique_bytes),
    Metric("gpu_bytes", "B", "less", "bytes", "seen", "memory held on GPUs",
           "after the last block, by NVIDIA's library", read=lambda t: t.gpu_bytes),
    Metric("running_threads", "threads", "neither", "number", "seen",
           "threads that run at a time", "sampled over one more block that is not timed",
           read=lambda t: t.running_threads),
    Metric("cpu_use", "cores", "neither", "number", "seen",
           "processors kept busy", "over the timed blocks, by the process's own clock",
           read=lambda t: t.cpu_use),
    Metric("warmup_steps", "steps", "less", "count", "seen",
           "steps until step times settled", "change points of the block times",
           read=lambda t: t.warmup_steps if t.blocks else None),
    Metric("warmup_s", "s", "less", "time", "mean",
           "seconds until step times settled", "change points of the block times",
           read=lambda t: t.warmup_s),
    Metric("step_user_s", "s", "less", "time", "per-step",
           "processor time a step, outside the kernel", _BLOCKS, of_block=_user_s),
    Metric("step_system_s", "s", "less", "time", "per-step",
           "processor time a step, in the kernel", _BLOCKS, of_block=lambda b: b.system_s),
    Metric("step_faults", "faults", "less", "count", "per-step", "page faults a step", _BLOCKS,
           of_block=lambda b: b.minor_faults + b.major_faults),
    Metric("step_switches", "switches", "less", "count", "per-step",
           "context switches a step", _BLOCKS, of_block=lambda b: b.voluntary + b.involuntary),
    Metric("step_instructions", "instructions", "less", "count", "per-step",
           "instructions a step, where the machine counts them", _BLOCKS,
           of_block=lambda b: b.instructions),
    Metric("step_energy_j", "J", "less", "number", "per-step",
           "energy a step of all processor packages, where they count it", _BLOCKS,
           of_block=lambda b: b.energy_j),
    Metric("feed_samples_per_s", "samples/s", "more", "count", "mean",
           "samples a second the loader alone gives", _LOADER,
           read=lambda t: _batch_s(t.feeding), rate=True),
    Metric("feed_workers_samples_per_s", "samples/s", "more", "count", "mean",
           "the same with worker processes (--feed-workers)", _LOADER,
           read=lambda t: _batch_s(t.worked_feeding), rate=True),
    Metric("slice_samples_per_s", "samples/s", "more", "count", "mean",
           "samples a second of plain slices of the same arrays", _LOADER,
           read=lambda t: _slice_s(t.feeding), rate=True),
    Metric("feed_share", "of a step", "less", "share", "mean",
           "feeding's share of a training step", _LOADER, read=_feed_share),
    Metric("saved_bytes", "B", "less", "bytes", "seen", "size of the saved network", _SAVED,
           read=_deployed(lambda d: d.saved_bytes)),
    Metric("save_s", "s", "less", "time", "mean", "saving the network", _SAVED,
           read=_deployed(lambda d: d.save_s)),
    Metric("load_s", "s", "less", "time", "mean", "loading it, imports not counted", _RELOADED,
           read=_deployed(lambda d: d.load_s)),
    Metric("first_predict_s", "s", "less", "time", "mean",
           "the first prediction after loading", _RELOADED,
           read=_deployed(lambda d: d.first_predict_s)),
    Metric("predict_latency_s", "s", "less", "time", "percentile",
           "predicting one sample, median call", _RELOADED,
           calls=lambda d: d.latency_s, share=0.5),
    Metric("predict_latency_p95_s", "s", "less", "time", "percentile",
           "predicting one sample, 95th percentile of calls", _RELOADED,
           calls=lambda d: d.latency_s, share=0.95),
    Metric("predict_latency_p99_s", "s", "less", "time", "percentile",
           "predicting one sample, 99th percentile of calls", _RELOADED,
           calls=lambda d: d.latency_s, share=0.99),
    Metric("predict_throughput", "samples/s", "more", "count", "mean",
           "samples a second predicted in batches of the recipe's size", _SAVED,
           read=_deployed(lambda d: _middle(d.predict_s)), rate=True),
    Metric("code_lines", "lines", "less", "number", "counted",
           "lines of code of the program, without what all programs share", _TEXT),
    Metric("code_complexity", "decisions", "less", "number", "counted",
           "functions and decisions in the program, after McCabe", _TEXT),
    Metric("parameters", "parameters", "neither", "count", "counted",
           "numbers that training changes", "counted in the model"),
    Metric("final_metric", "", "neither", "metric", "training",
           "the recipe's metric on held-out samples after the last epoch", _ROUNDS),
    Metric("best_epoch", "epoch", "neither", "number", "training",
           "the first epoch that was as good as any", _ROUNDS),
    Metric("train_s", "s", "less", "time", "training",
           "all training steps, and nothing else", _ROUNDS),
    Metric("train_samples_per_s", "samples/s", "more", "count", "training",
           "samples trained on a second", _ROUNDS),
    Metric("target_s", "s", "less", "time", "training",
           "training until the metric that every dialect reached in the end", _ROUNDS),
)  # fmt: skip

METRICS: dict[str, Metric] = {metric.key: metric for metric in TABLE}


def unit(key: str, metric: str = "") -> str:
    """What a figure is in; `metric` is the recipe's, which final metrics are in."""
    return METRICS[key].unit or metric
