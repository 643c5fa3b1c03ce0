"""Whole trainings: every proven dialect, with every seed, to the last epoch; then judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from tensorstone.analysis import summary
from tensorstone.analysis.trained import Trained, held_together, trained
from tensorstone.data.baseline import MEANING, baseline
from tensorstone.data.prepared.split import Real, Split
from tensorstone.ledger.ledger import Ledger
from tensorstone.models.workload import Workload
from tensorstone.race import training
from tensorstone.race.forecast import Forecast
from tensorstone.race.plan import Contestant, order
from tensorstone.race.training import Course
from tensorstone.results.cell import Cell
from tensorstone.results.epoch import Epoch
from tensorstone.results.outcome import Outcome
from tensorstone.results.trial import Trial
from tensorstone.session import training_data as lessons
from tensorstone.session.contestants import contestants, open_cells
from tensorstone.session.entries import Entry
from tensorstone.session.judging import at_least_as_good, judge, resolution
from tensorstone.session.training_plan import Syllabus, Terms
from tensorstone.support.scratch import scratch

NOTHING = "it computes nothing, so there is nothing to train"


class Watch(Protocol):
    """Hears every epoch as it ends; seeds count from 1."""

    def started(self, dialect: str, seed: int) -> None: ...

    def epoch(self, dialect: str, seed: int, epoch: Epoch, left_s: float) -> None: ...

    def ended(self, trial: Trial) -> None: ...


@dataclass(frozen=True)
class Training:
    """One workload's trainings: its cells, and what they were trained on."""

    workload: Workload
    terms: Terms
    cells: tuple[Trained, ...]
    target: float | None  # the metric that all who finished had reached in the end
    baseline: float  # of the trivial model
    samples: tuple[int, int]  # to train on, to be judged by
    note: str  # what the data is
    run: int  # its number in the ledger
    resumed: int  # trainings that an earlier, unfinished run had left

    @property
    def unbeaten_by(self) -> list[str]:
        """Who was trained and ended, by the mean of seeds, no better than the trivial model."""
        metric = self.workload.recipe.metric
        return [
            trained.cell.dialect
            for trained in self.cells
            if trained.curve
            and at_least_as_good(metric, self.baseline, trained.cell.metrics["final_metric"].value)
        ]

    def to_json(self) -> dict[str, Any]:
        """How it was run; its cells are said apart."""
        train, test = self.samples
        model = MEANING[self.workload.recipe.metric]
        return {
            "workload": self.workload.name,
            "run": self.run,
            "epochs": self.terms.epochs,
            "seeds": self.terms.seeds,
            "threads": self.terms.threads,
            "batch": self.workload.recipe.batch,
            "metric": self.workload.recipe.metric,
            "target": self.target,
            "baseline": {
                "value": self.baseline,
                "model": model,
                "unbeaten_by": self.unbeaten_by,
            },
            "data": {
                "name": self.workload.data.name,
                "note": self.note,
                "train_samples": train,
                "test_samples": test,
            },
            "resumed_trials": self.resumed,
        }


def train(
    entries: Sequence[Entry],
    proofs: Mapping[str, Cell],
    data: Real,
    terms: Terms,
    machine: Mapping[str, Any],
    ledger: Ledger,
    watch: Watch,
) -> Training:
    """Train the entries of one workload whose proof (by dialect) is ok, one at a time."""
    workload = entries[0].workload
    proofs = {name: _trainable(proof) for name, proof in proofs.items()}
    with scratch() as folder:
        syllabus = _syllabus(workload, entries, proofs, data, terms, folder)
        run = ledger.resume(syllabus.digest())
        if run is None:
            run = ledger.begin("train", syllabus.digest(), syllabus.describe(), machine)
        numbers = open_cells(entries, proofs, ledger, run)
        school = _School(syllabus, workload, entries, data.test, numbers, ledger, run, watch)
        try:
            school.teach()
        except BaseException:
            ledger.finish(run, "interrupted")
            raise
    metric = workload.recipe.metric
    cells = [
        trained(e, proofs[e.dialect.name], school.trials, school.epochs, metric) for e in entries
    ]
    together = held_together(cells, metric, resolution(metric, data.test.y))
    for done in together.cells:
        cell = done.cell
        if cell.proof is not None:
            ledger.keep_proof(numbers[cell.dialect], cell.proof)
        outcome = Outcome(cell.status, cell.reason, cell.last_words)  # type: ignore[arg-type]
        ledger.end_cell(numbers[cell.dialect], outcome)
    ledger.finish(run)
    return Training(
        workload=workload,
        terms=terms,
        cells=together.cells,
        target=together.target,
        baseline=baseline(data, metric),
        samples=(len(data.train), len(data.test)),
        note=data.note,
        run=run,
        resumed=school.resumed,
    )


def _trainable(proof: Cell) -> Cell:
    if proof.framework == "null" and proof.ok:
        return replace(proof, status="unsupported", reason=NOTHING)
    return proof


def _syllabus(
    workload: Workload,
    entries: Sequence[Entry],
    proofs: Mapping[str, Cell],
    data: Real,
    terms: Terms,
    folder: Path,
) -> Syllabus:
    import numpy as np

    from tensorstone.models.initial import initial_weights

    weights = []
    for seed in range(terms.seeds):
        init = replace(workload.init, seed=workload.init.seed + seed)
        weights.append(folder / f"weights{seed}.npz")
        np.savez(weights[-1], **initial_weights(workload.model, init))  # type: ignore[arg-type]
    samples = lessons.write(data.train, folder / "train.npz")
    test = lessons.write(data.test, folder / "test.npz")
    pupils = contestants(entries, proofs, weights[0], samples, terms.threads, folder)
    return Syllabus(workload.name, pupils, tuple(weights), test, terms)


class _School:
    """The trainings one after another: seed by seed, the dialects of a seed in random order."""

    def __init__(
        self,
        syllabus: Syllabus,
        workload: Workload,
        entries: Sequence[Entry],
        test: Split,
        numbers: Mapping[str, int],
        ledger: Ledger,
        run: int,
        watch: Watch,
    ) -> None:
        self._syllabus, self._workload, self._test = syllabus, workload, test
        self._views = {entry.dialect.name: entry.dialect.outputs for entry in entries}
        self._numbers, self._ledger, self._watch = numbers, ledger, watch
        self.trials = ledger.trials(run, workload.name)
        self.epochs = ledger.epochs(run, workload.name)
        self.resumed = len(self.trials)
        terms = syllabus.terms
        self._forecast = Forecast(
            {p.dialect: terms.epochs * len(self._seeds_left(p)) for p in syllabus.contestants}
        )

    def teach(self) -> None:
        pupils = {pupil.dialect: pupil for pupil in self._syllabus.contestants}
        for seed in range(1, self._syllabus.terms.seeds + 1):
            for place, dialect in enumerate(order(list(pupils), seed, 0)):
                if seed in self._seeds_left(pupils[dialect]):
                    self._train(pupils[dialect], seed, place)

    def _seeds_left(self, pupil: Contestant) -> list[int]:
        """None once it failed: its cell cannot be ok any more, and more seeds would only cost."""
        mine = [trial for trial in self.trials if trial.dialect == pupil.dialect]
        if not summary.outcome(mine).ok and mine:
            return []
        done = {trial.round for trial in mine}
        return [s for s in range(1, self._syllabus.terms.seeds + 1) if s not in done]

    def _train(self, pupil: Contestant, seed: int, place: int) -> None:
        number = self._ledger.begin_trial(self._numbers[pupil.dialect], seed, place)
        self._watch.started(pupil.dialect, seed)
        epochs: list[Epoch] = []

        def ended(epoch: Epoch) -> None:
            self._ledger.keep_epoch(number, epoch)
            epochs.append(epoch)
            self._forecast.spent(pupil.dialect, epoch.wall_s)
            self._watch.epoch(pupil.dialect, seed, epoch, self._forecast.left_s)

        trial = training.run(self._course(pupil, seed, place), ended)
        self._ledger.end_trial(number, trial)
        self.trials.append(trial)
        self.epochs[pupil.dialect, seed] = tuple(epochs)
        if not trial.outcome.ok:
            self._forecast.drop(pupil.dialect)
        self._watch.ended(trial)

    def _course(self, pupil: Contestant, seed: int, place: int) -> Course:
        def metric(predictions: Path) -> float:
            import numpy as np

            with np.load(predictions, allow_pickle=False) as file:
                outputs = file["outputs"]
            return judge(self._workload, self._test.y, outputs, self._views[pupil.dialect])

        return Course(
            contestant=replace(pupil, weights=self._syllabus.weights[seed - 1]),
            seed=seed,
            order=place,
            epochs=self._syllabus.terms.epochs,
            test=self._syllabus.test,
            judge=metric,
            timeout_s=self._syllabus.terms.timeout_s,
        )
