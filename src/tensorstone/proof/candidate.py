"""One program under proof: the levels in order, and the diagnosis where one fails."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from tensorstone.dialects.emit import Unsupported
from tensorstone.dialects.registry import Dialect, Framework
from tensorstone.models.described import weighted_layers
from tensorstone.models.layers import BatchNorm
from tensorstone.models.recipe import Adam
from tensorstone.models.workload import Workload
from tensorstone.oracle import Arrays
from tensorstone.oracle.conventions import (
    ADAM_EPSILON_BEFORE_CORRECTION,
    BATCHNORM_UNBIASED_VARIANCE,
)
from tensorstone.proof import double_precision, dropout, dropout_places, probed
from tensorstone.proof.diagnosis import Diagnosis, Evidence, diagnose
from tensorstone.proof.double_precision import Doubled, SecondOpinion, looks_like_rounding
from tensorstone.proof.dropout import Answer
from tensorstone.proof.expectation import Expectation, expectation
from tensorstone.proof.levels import CheckedLevel, compare, compare_all
from tensorstone.proof.lines import line_of
from tensorstone.proof.measurement import Measurement, wrong_gradient
from tensorstone.proof.missing import missing_bias
from tensorstone.proof.numbers import Numbers
from tensorstone.proof.order import shuffled
from tensorstone.proof.prefixes import Prefixes
from tensorstone.proof.probing.probe import Probe, make_probe
from tensorstone.proof.program import Mismatch, NoDouble, Programs, RunningProgram
from tensorstone.proof.sources import Edit, Sources
from tensorstone.proof.variant import Variant, View, truth
from tensorstone.proof.verdict import accepted, refused
from tensorstone.results.proof import Proof
from tensorstone.runtime.failure import Failure
from tensorstone.support.errors import StoneError


@dataclass(frozen=True)
class Candidate:
    """A workload's programs in one dialect, and the worker to run them in."""

    workload: Workload
    dialect: Dialect
    framework: Framework
    sources: Sources
    programs: Programs
    edit: Edit | None = None  # how the programs differ from what the room writes
    doubled: Doubled | None = None  # for a second opinion; None: there is none

    @cached_property
    def conventions(self) -> tuple[str, ...]:
        """The framework's conventions that this workload's numbers depend on."""
        kinds = {type(node.layer) for node in self.workload.model.graph.nodes}
        matters = {
            ADAM_EPSILON_BEFORE_CORRECTION: isinstance(self.workload.recipe.optimiser, Adam),
            BATCHNORM_UNBIASED_VARIANCE: BatchNorm in kinds,
        }
        return tuple(name for name in self.framework.conventions if matters[name])

    @cached_property
    def probe(self) -> Probe:
        return make_probe(self.workload)

    @cached_property
    def truth(self) -> Variant:
        return truth(self.workload, self.probe.batch, self.conventions)

    @cached_property
    def view(self) -> View:
        return View(self.dialect.losses, self.dialect.outputs)

    @cached_property
    def known(self) -> Expectation:
        return expectation(self.truth, self.probe, self.view)

    def proof(self) -> Proof:
        """Ask everything, compare, and name what is wrong."""
        program = self._load(self.workload, self.sources.program)
        levels = {"shape": self._shape(program)}
        if not levels["shape"].passed:
            found = missing_bias(self.programs, self.sources.program, self.workload)
            return refused(levels, found, self.conventions)
        awake = probed.forward(program, self.probe)
        placed: list[Answer] = []
        if self.sources.probes:
            placed = dropout_places.ask(program, self.workload.model, self.probe)
        answers = [self._dropout(question, source) for question, source in self.sources.probes]
        answers += placed
        if self.sources.probes:
            program = self._load(self.workload, self.sources.undropped)
        observed = self._observed(program)
        undropped = compare_all(observed, self.known)
        # Prediction is judged on the program as it is, its dropout rates in place.
        levels |= undropped | {"forward": self._forward(awake)}
        if answers:
            asked = [answer.level for answer in answers]
            levels["dropout"] = max(asked, key=lambda level: (not level.passed, level.ratio))
        opinion = None
        if not all(level.passed for name, level in levels.items() if name != "dropout"):
            opinion = self._second_opinion()
            if opinion.agrees and looks_like_rounding(observed, self.known, self.probe):
                levels |= {name: replace(levels[name], passed=True) for name in undropped}
        if all(level.passed for level in levels.values()):
            return accepted(levels, self.conventions, self.known.excluded, program.version, opinion)
        drops = undropped["forward"].passed and not levels["forward"].passed
        found = self._random(levels, answers, awake if drops else None)
        if not found and not all(level.passed for level in undropped.values()):
            found = self._diagnosis(observed, program, opinion or SecondOpinion())
        return refused(levels, found, self.conventions, opinion, self._line(found))

    def _line(self, found: Diagnosis | None) -> str:
        """Where the layer that was found stands in the program."""
        if not found or not found.place:
            return ""
        return line_of(found.place, self.sources.program, self.workload, self.dialect, self.edit)

    def _load(self, workload: Workload, source: str) -> RunningProgram:
        return self.programs.load(source, weighted_layers(workload.model))

    def _shape(self, program: RunningProgram) -> CheckedLevel:
        expected = {weight.name: weight.shape for weight in self.workload.model.weights}
        try:
            found = program.shapes()
        except Mismatch as mismatch:
            return CheckedLevel(1.0, 0.0, False, str(mismatch))
        wrong = [name for name in {**expected, **found} if expected.get(name) != found.get(name)]
        return CheckedLevel(float(len(wrong)), 0.0, not wrong, ", ".join(wrong))

    def _dropout(self, question: dropout.Question, source: str) -> Answer:
        return dropout.ask(self._load(dropout.workload(question), source), question)

    def _observed(self, program: RunningProgram) -> Numbers:
        numbers = {"forward": probed.forward(program, self.probe)}
        if self.workload.model.weights:
            numbers |= probed.trained(program, self.probe)
        return numbers

    def _second_opinion(self) -> SecondOpinion:
        """The same numbers asked in float64, of a worker of its own."""
        if self.doubled is None:
            return SecondOpinion(absent="no worker was at hand")
        layers = weighted_layers(self.workload.model)
        try:
            with self.doubled() as programs:
                program = programs.load(self.sources.program, layers)
                awake = probed.forward(program, self.probe)
                if self.sources.probes:
                    program = programs.load(self.sources.undropped, layers)
                observed = self._observed(program)
        except NoDouble as reason:
            return SecondOpinion(absent=str(reason))
        except Failure as failure:
            return SecondOpinion(absent=failure.outcome.reason)
        within = double_precision.bounds(self.known, self.truth, self.probe, self.view)
        levels = double_precision.check(observed, self.known, within)
        alive = double_precision.check({"forward": awake}, self.known, within)
        return SecondOpinion(observed, levels | alive, within, program.changed)

    def _forward(self, outputs: Arrays) -> CheckedLevel:
        return compare(outputs, self.known.numbers["forward"], self.known.bounds["forward"])

    def _random(
        self, levels: Mapping[str, CheckedLevel], answers: list[Answer], awake: Arrays | None
    ) -> Diagnosis | None:
        """What dropout does wrong, where nothing else is; `awake`: what it made of prediction."""
        if awake is not None:
            numbers = {"forward": awake}
            program = self._load(self.workload, self.sources.program)
            levels = compare_all(numbers, self.known)
            found = self._measured(numbers, levels, program, self.programs)
            place = dropout.questions(self.workload.model)[0].place
            return found or Diagnosis("dropout-in-prediction", place)
        alone = all(level.passed for name, level in levels.items() if name != "dropout")
        for answer in answers:
            if alone and not answer.level.passed:
                return Diagnosis(answer.deviation, answer.level.worst, answer.detail)
        return None

    def _diagnosis(
        self, observed: Numbers, program: RunningProgram, opinion: SecondOpinion
    ) -> Diagnosis | None:
        """By the numbers in float64 where they show what is wrong, else by those in float32."""
        single = compare_all(observed, self.known)
        double = opinion.observed if opinion.levels and not opinion.agrees else None
        if double and single["forward"].passed and not opinion.levels["forward"].passed:
            double = None  # something of it stayed in float32: these digits say nothing
        evidence = Evidence(observed, self.known, self.truth, self.probe, self.view, double)
        if found := diagnose(evidence):
            return found
        if double and self.doubled:
            with self.doubled() as programs:
                again = programs.load(self.sources.undropped, weighted_layers(self.workload.model))
                return self._measured(double, single, again, programs)
        found = self._measured(observed, single, program, self.programs)
        if opinion.agrees and (found is None or not (found.name or found.detail)):
            return _few_digits(single, found)
        return found

    def _measured(
        self,
        observed: Numbers,
        levels: Mapping[str, CheckedLevel],
        program: RunningProgram,
        programs: Programs,
    ) -> Diagnosis | None:
        prefixes = Prefixes(self.workload, self.dialect, programs, self.probe, self.edit)
        measurement = Measurement(
            self.workload, self.truth, self.probe, observed, program, prefixes
        )
        try:
            if not levels["forward"].passed:
                return measurement.layer()
            if not levels["step"].passed:
                return measurement.gradient() or self._wrong_gradient(observed)
            if shuffled(program, self.truth, self.probe):
                return Diagnosis("batches-shuffled")
            return measurement.updates()
        except (Unsupported, StoneError, Failure):
            return None  # not every part can be said by itself, nor every question be answered

    def _wrong_gradient(self, observed: Numbers) -> Diagnosis | None:
        place = wrong_gradient(self.workload.model, observed, self.known)
        return Diagnosis(None, place) if place else None


# Errors as large as a format's rounding makes them, relatively, the coarsest first.
_FORMATS = (("bfloat16", 1.5e-3), ("float16 or TF32", 1e-4))


def _few_digits(levels: Mapping[str, CheckedLevel], found: Diagnosis | None) -> Diagnosis | None:
    """Right in float64, and wrong in float32: some numbers have fewer digits than float32 has."""
    worst = max(levels.values(), key=lambda level: level.ratio)
    form = next((name for name, least in _FORMATS if least <= worst.error < 0.05), "")
    if not form:
        return found
    text = (
        f"numbers have fewer digits than float32: {worst.worst} is off by {worst.error:.1e}, as "
        f"coarsely as {form}, and right where the program computes in float64"
    )
    return Diagnosis(None, None, text)
