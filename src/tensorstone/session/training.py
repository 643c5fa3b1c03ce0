"""Whole trainings: every proven dialect, with every seed, to the last epoch; then judged."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace as changed
from pathlib import Path

from tensorstone.analysis import summary
from tensorstone.data.baseline import baseline
from tensorstone.data.prepared.split import Real, Split
from tensorstone.dialects.registry import Dialect
from tensorstone.ledger.ledger import Ledger
from tensorstone.ledger.recorder import Recorder
from tensorstone.models.workload import Workload
from tensorstone.race import training
from tensorstone.race.forecast import Forecast
from tensorstone.race.plan import Contestant, order
from tensorstone.race.training import TrainingSpec
from tensorstone.results.comparison import Training
from tensorstone.results.events import Both, Observer, RaceProgress
from tensorstone.results.outcome import Outcome
from tensorstone.results.settings import TrainingSettings
from tensorstone.results.trial import Epoch, Trial
from tensorstone.runtime.files import read_arrays
from tensorstone.session import noise
from tensorstone.session.contestants import contestants
from tensorstone.session.distinct import distinct
from tensorstone.session.entries import enter
from tensorstone.session.input_files import Inputs, seed_weights
from tensorstone.session.judging import judge, resolution
from tensorstone.session.proving import Proven, Proving, prove_all
from tensorstone.session.running import OpenRun, Series, running, workload_facts
from tensorstone.session.sweep_points import SweepPoint, variants
from tensorstone.session.training_data import Kind, training_data, write_split
from tensorstone.session.training_plan import TrainingPlan
from tensorstone.session.watch import Watch
from tensorstone.support import folders
from tensorstone.support.machine_lock import machine_lock
from tensorstone.support.scratch import scratch

NOTHING = "the null dialect computes nothing and cannot be trained"


@dataclass(frozen=True)
class TrainRequest:
    """What is to be trained, and how long."""

    workloads: Sequence[Workload]
    dialects: Sequence[Dialect]
    epochs: int = 0  # 0: what the recipe says
    seeds: int = 1
    threads: int = 0  # 0: one for each processor
    data: Kind = "real"
    batches: Sequence[int] = ()  # other sizes than the recipe's: a training for each
    timeout_s: float = 3600.0  # of one answer, so of one epoch
    words: tuple[str, ...] = ()

    def variants(self) -> list[SweepPoint]:
        return variants(distinct(self.workloads), self.batches, [self.threads])


def train(request: TrainRequest, ledger: Ledger, watch: Watch) -> list[Training]:
    """A result for each workload, in order; `watch.done` hears of each as it is complete."""
    folders.cache_dir()  # what cannot be written is better known now than after the work
    wanted = request.variants()
    workloads = [variant.workload for variant in wanted]
    samples = [training_data(workload, request.data) for workload in workloads]
    entries = enter(workloads, request.dialects, watch.installing)
    with machine_lock():
        with watch.proofs(len(entries)) as watcher:
            jobs = [Proving(entry, wanted[0].threads) for entry in entries]
            proven = prove_all(jobs, watcher, request.timeout_s)
        series = Series(ledger, "train", request.words)
        done = []
        for variant, data in zip(wanted, samples, strict=True):
            mine = [_trainable(one) for one in proven if one.entry.workload is variant.workload]
            done.append(_trained(variant, mine, data, request, series, watch))
            watch.done(done[-1])
    return done


def _trainable(proven: Proven) -> Proven:
    if proven.proof is not None and proven.proof.exempt:
        return Proven(proven.entry, None, None, Outcome("unsupported", NOTHING))
    return proven


def _trained(
    variant: SweepPoint,
    proven: Sequence[Proven],
    data: Real,
    request: TrainRequest,
    series: Series,
    watch: Watch,
) -> Training:
    workload, threads = variant.workload, variant.threads
    settings = TrainingSettings(
        epochs=request.epochs or workload.recipe.epochs,
        seeds=request.seeds,
        timeout_s=request.timeout_s,
        train_samples=len(data.train),
        test_samples=len(data.test),
        baseline=baseline(data, workload.recipe.metric) if any(p.ok for p in proven) else None,
        resolution=resolution(workload.recipe.metric, data.test.y),
        note=data.note,
    )
    known = noise.known(threads)
    floor = known.floor if known else None
    facts = series.facts(workload_facts(workload, variant.base), settings, threads, floor)
    with scratch() as folder:
        plan = _plan(workload, proven, data, settings, threads, folder)
        described = json.dumps(plan.describe())
        with running(series.ledger, facts, proven, plan.digest(), described) as run:
            recorder = Recorder(series.ledger, run.cells)
            with watch.trainings(workload, settings) as watcher:
                observer = Both(recorder, watcher)
                _Trainer(plan, workload, proven, data.test, run, observer).train()
    found = run.assembled()
    assert isinstance(found, Training)
    return found


def _plan(
    workload: Workload,
    proven: Sequence[Proven],
    data: Real,
    settings: TrainingSettings,
    threads: int,
    folder: Path,
) -> TrainingPlan:
    weights = seed_weights(workload, 1, folder)
    inputs = Inputs.of(weights, write_split(data.train, folder / "train.npz"))
    test = write_split(data.test, folder / "test.npz")
    racing = contestants(proven, inputs, threads, folder)
    return TrainingPlan(workload.name, racing, folder, test, settings)


class _Trainer:
    """The trainings one after another: seed by seed, the dialects of a seed in random order."""

    def __init__(
        self,
        plan: TrainingPlan,
        workload: Workload,
        proven: Sequence[Proven],
        test: Split,
        run: OpenRun,
        observer: Observer,
    ) -> None:
        self._plan, self._workload, self._test = plan, workload, test
        self._views = {one.entry.dialect.name: one.entry.read_as.outputs for one in proven}
        self._observer, self._trials = observer, list(run.earlier)
        self._weights = plan.folder  # of the seed that is trained
        self._forecast = Forecast(
            {c.dialect: plan.settings.epochs * len(self._seeds_left(c)) for c in plan.contestants}
        )

    def train(self) -> None:
        there = {contestant.dialect: contestant for contestant in self._plan.contestants}
        for seed in range(1, self._plan.settings.seeds + 1):
            if any(seed in self._seeds_left(one) for one in self._plan.contestants):
                self._weights = seed_weights(self._workload, seed, self._plan.folder)
            for place, dialect in enumerate(order(list(there), seed, 0)):
                if seed in self._seeds_left(there[dialect]):
                    self._train(there[dialect], seed, place)

    def _seeds_left(self, contestant: Contestant) -> list[int]:
        """None once it failed: its cell cannot be ok any more, and more seeds would only cost."""
        mine = [trial for trial in self._trials if trial.dialect == contestant.dialect]
        if not summary.outcome(mine).ok and mine:
            return []
        done = {trial.round for trial in mine}
        return [s for s in range(1, self._plan.settings.seeds + 1) if s not in done]

    def _train(self, contestant: Contestant, seed: int, place: int) -> None:
        def ended(trial: Trial, epoch: Epoch) -> None:
            self._forecast.spent(contestant.dialect, epoch.wall_s)
            self._observer.epoch(trial, epoch, self._forecast.left_s)

        spec = self._spec(contestant, seed, place)
        self._observer.trial_started(Trial(contestant.dialect, seed, place))
        trial = training.run(spec, ended)
        self._trials.append(trial)
        if not trial.outcome.ok:
            self._forecast.drop(contestant.dialect)
        self._observer.trial_ended(
            trial, RaceProgress(seed - 1, trial.wall_s, self._forecast.left_s)
        )

    def _spec(self, contestant: Contestant, seed: int, place: int) -> TrainingSpec:
        def metric(predictions: Path) -> float:
            outputs = read_arrays(predictions, "evaluate", "outputs")["outputs"]
            return judge(self._workload, self._test.y, outputs, self._views[contestant.dialect])

        return TrainingSpec(
            contestant=changed(contestant, weights=self._weights),
            seed=seed,
            place=place,
            epochs=self._plan.settings.epochs,
            test=self._plan.test,
            judge=metric,
            timeout_s=self._plan.settings.timeout_s,
        )
