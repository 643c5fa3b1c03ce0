"""The main job: prove programs, race those that were proven equal, keep everything, show it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tensorstone.dialects.registry import Dialect
from tensorstone.ledger.ledger import Ledger
from tensorstone.ledger.recorder import Recorder
from tensorstone.models.workload import Workload
from tensorstone.race.group_run import FEWEST_TURNS
from tensorstone.race.plan import Plan
from tensorstone.race.rounds import race
from tensorstone.results.comparison import Comparison
from tensorstone.results.events import Both
from tensorstone.results.settings import RaceSettings
from tensorstone.session import noise
from tensorstone.session.contestants import contestants
from tensorstone.session.distinct import distinct
from tensorstone.session.entries import Entry, enter
from tensorstone.session.input_files import write_inputs
from tensorstone.session.proving import Proven, Proving, prove_all
from tensorstone.session.running import Series, running, workload_facts
from tensorstone.session.sweep_points import SweepPoint, variants
from tensorstone.session.watch import Watch
from tensorstone.support import folders
from tensorstone.support.machine_lock import machine_lock
from tensorstone.support.scratch import scratch

NOTHING = "nothing was proven equal, so nothing was timed"
# Three processes are the fewest that have an interval, later rounds are for the steps alone; and so
# are all but the first where time is short, since deployment takes as long as training.
DEPLOYMENTS, SHORT_S = 3, 150.0  # for each contestant


@dataclass(frozen=True)
class CompareRequest:
    """What is to be compared, and how carefully."""

    workloads: Sequence[Workload]
    dialects: Sequence[Dialect]
    settings: RaceSettings = field(default_factory=RaceSettings)
    batches: Sequence[int] = ()  # other sizes than the recipe's: a race for each
    threads: Sequence[int] = ()  # a race for each
    timeout_s: float = 600.0  # of one answer in a proof
    words: tuple[str, ...] = ()  # the command line, or the call

    def variants(self) -> list[SweepPoint]:
        return variants(distinct(self.workloads), self.batches, self.threads)


def race_settings(
    dialects: Sequence[Dialect],
    budget_s: float,
    precision: float,
    memory_kept: bool | None = None,
    feed_workers: int = 0,
) -> RaceSettings:
    """The settings a person's few words mean. Unless said, memory is kept if all contestants are of
    the tuned lane."""
    kept = all(d.lane == "tuned" for d in dialects) if memory_kept is None else memory_kept
    return RaceSettings(
        budget_s=budget_s,
        precision=precision,
        deployments=DEPLOYMENTS if budget_s >= SHORT_S * len(dialects) else 1,
        feed_workers=feed_workers,
        memory_kept=kept,
    )


def compare(request: CompareRequest, ledger: Ledger, watch: Watch) -> list[Comparison]:
    """A comparison for each variant, in order; `watch.done` hears of each as it is complete."""
    folders.cache_dir()  # what cannot be written is better known now than after the work
    wanted = request.variants()
    entries = _enter(wanted, request, watch)
    with machine_lock():
        groups = _prove(wanted, entries, request, watch)
        series = Series(ledger, "compare", request.words)
        done = []
        for variant, (proven, controls) in zip(wanted, groups, strict=True):
            done.append(_race(variant, proven, controls, request.settings, series, watch))
            watch.done(done[-1])
    return done


def _enter(
    wanted: Sequence[SweepPoint], request: CompareRequest, watch: Watch
) -> list[list[Entry]]:
    """A variant's entries; a workload that is raced with several threads is written once."""
    workloads = list({id(v.workload): v.workload for v in wanted}.values())
    entries = enter(workloads, request.dialects, watch.installing)
    return [[e for e in entries if e.workload is variant.workload] for variant in wanted]


def _prove(
    wanted: Sequence[SweepPoint],
    entries: Sequence[Sequence[Entry]],
    request: CompareRequest,
    watch: Watch,
) -> list[tuple[list[Proven], list[Proven]]]:
    """Every entry of every variant, under the conditions of its race; and, where freed memory is
    kept, those that passed under those of their allocator control."""
    kept = request.settings.memory_kept
    jobs = [
        [Proving(entry, variant.threads, kept) for entry in group]
        for variant, group in zip(wanted, entries, strict=True)
    ]
    groups = _grouped(jobs, request, watch)
    if not kept:
        return [(group, []) for group in groups]
    beside = [
        [Proving(one.entry, variant.threads) for one in group if one.ok]
        for variant, group in zip(wanted, groups, strict=True)
    ]
    return list(zip(groups, _grouped(beside, request, watch), strict=True))


def _grouped(
    jobs: Sequence[Sequence[Proving]], request: CompareRequest, watch: Watch
) -> list[list[Proven]]:
    """All of them at once, handed back in their groups."""
    together = [job for group in jobs for job in group]
    with watch.proofs(len(together)) as watcher:
        proven = iter(prove_all(together, watcher, request.timeout_s))
    return [[next(proven) for _ in group] for group in jobs]


def _race(
    variant: SweepPoint,
    proven: Sequence[Proven],
    controls: Sequence[Proven],
    settings: RaceSettings,
    series: Series,
    watch: Watch,
) -> Comparison:
    workload = variant.workload
    known = noise.known(variant.threads)
    facts = series.facts(
        workload_facts(workload, variant.base),
        settings,
        variant.threads,
        known.floor if known else None,
    )
    with scratch() as folder:
        plan = _plan(variant, proven, controls, settings, folder)
        with running(
            series.ledger,
            facts,
            proven,
            plan.digest(),
            json.dumps(plan.describe()),
            enough_blocks=FEWEST_TURNS,
        ) as run:
            run.why = NOTHING
            if plan.contestants:
                recorder = Recorder(series.ledger, run.cells)
                with watch.race(f"timing {workload.name}", settings.budget_s) as watcher:
                    run.why = race(plan, Both(recorder, watcher), run.earlier).why
    found = run.assembled()
    assert isinstance(found, Comparison)
    return found


def _plan(
    variant: SweepPoint,
    proven: Sequence[Proven],
    controls: Sequence[Proven],
    settings: RaceSettings,
    folder: Path,
) -> Plan:
    inputs, kept = write_inputs(variant.workload, folder), settings.memory_kept
    racing = contestants(proven, inputs, variant.threads, folder, kept, controls)
    return Plan(variant.workload.name, racing, settings)
