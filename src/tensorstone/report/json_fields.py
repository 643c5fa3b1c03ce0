"""What every field of `--json` means: docs/json.md is made from this, and real results are held
against it by a test.

A type is `text`, `number`, `whole`, `bool`, the name of a section, `list of …`, `… by …` (an object
with such keys), any of them with `or null`.
"""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import Struct
from msgspec.structs import fields

from tensorstone.report.tidy import Row
from tensorstone.results.background import BackgroundLoad
from tensorstone.results.conditions import Conditions
from tensorstone.results.description import DescribedLayer, Description
from tensorstone.results.difference import BetweenRuns, Change
from tensorstone.results.machine import Machine
from tensorstone.results.outcome import STATUSES
from tensorstone.results.proof import Error
from tensorstone.results.run import Finding, Noise


@dataclass(frozen=True)
class Field:
    type: str
    meaning: str
    unit: str = ""


@dataclass(frozen=True)
class Section:
    """One object; `of` is the value it is printed from as it stands, whose fields it must name."""

    name: str
    about: str
    fields: dict[str, Field]
    of: type[Struct] | None = None

    def __post_init__(self) -> None:
        if self.of is not None:
            wanted = {field.encode_name for field in fields(self.of)}
            assert set(self.fields) == wanted, (self.name, wanted ^ set(self.fields))


def _text(meaning: str) -> Field:
    return Field("text", meaning)


def _whole(meaning: str, unit: str = "") -> Field:
    return Field("whole", meaning, unit)


def _number(meaning: str, unit: str = "") -> Field:
    return Field("number", meaning, unit)


def _or_null(field: Field) -> Field:
    return Field(f"{field.type} or null", field.meaning, field.unit)


_SECONDS = "Unix seconds"
_LOG = "natural logarithm of a ratio: 0.02 is about 2 %"
_FIGURE: dict[str, Field] = {
    "value": _or_null(_number("the figure; null where it is infinite")),
    "low": _or_null(_number("see `kind`; null where samples are too few, or it is infinite")),
    "high": _or_null(_number("see `kind`; null where samples are too few, or it is infinite")),
    "samples": _whole("how many processes, calls or seeds it is made of"),
    "kind": _text("`interval`: low and high are the ends of the 95 % confidence interval; `range`: "
                  "the least and the most that was seen; `exact`: counted, without either"),
}  # fmt: skip
_KNOWN_BY: dict[str, Field] = {
    "run": _whole("the run's number in this ledger"),
    "uuid": _text("its id, the same in every ledger"),
    "command": _text("`compare`, `train`, `prove` or `doctor`"),
    "words": Field("list of text", "the command line, or the call from Python"),
    "version": _text("of tensorstone; empty for an early one"),
    "workload": _text("the workload's name"),
    "batch": _whole("samples a step"),
    "threads": _whole("that every program had"),
    "noise_floor": _or_null(_number("a ratio closer to 1 than this is noise", "share")),
    "started": _number("when it began", _SECONDS),
    "finished": _or_null(_number("when it ended", _SECONDS)),
    "status": _text("`running`, `finished` or `interrupted`"),
}

SECTIONS: tuple[Section, ...] = (
    Section("answer", "Every command prints one object, with these keys and its own.", {
        "schema": _whole("1: a key may be added, none changes its meaning"),
        "command": _text("the command that answers"),
        "error": Field("error", "instead of everything else: the command could not do its work "
                                "(exit code 2)"),
    }),
    Section("error", "What went wrong.", {
        "message": _text("what happened"),
        "hint": _text("what to do next"),
    }),
    Section("results", "`compare`, `train`, `prove`, `doctor` and `show`.", {
        "machine": Field("machine", "where the first run was made"),
        "runs": Field("list of run", "how each run was run"),
        "cells": Field("list of cell", "each workload in each dialect, of all runs"),
        "sweeps": Field("list of sweep", "races of one workload with several batches or threads"),
        "findings": Field("list of finding", "what the doctor found"),
        "noise": Field("noise or null", "what the doctor measured"),
        "plots": Field("list of text", "files with pictures: one for each sweep, and "
                                        "what `--plot` asked for"),
    }),
    Section("machine", "A machine.", {
        "name": _text("$STONE_MACHINE, or the host's name"),
        "cpu": _text("the processor's name"),
        "cores": _whole("processors that could be used"),
        "memory": _whole("main memory", "B"),
        "os": _text("the operating system"),
        "noise_floor": _KNOWN_BY["noise_floor"],
        "details": Field("machine details", "all that is known of it"),
    }),
    Section("machine details", "What could not be read is null.", {
        "cpu": _text("the processor's name"),
        "architecture": _text("x86_64, aarch64 …"),
        "logical_cores": _whole("as the system counts them"),
        "physical_cores": _or_null(_whole("without hyper-threads")),
        "affinity": Field("list of whole", "the processors that could be used"),
        "memory_bytes": _whole("main memory", "B"),
        "swap_bytes": _whole("room to swap to", "B"),
        "os": _text("the operating system"),
        "kernel": _text("its kernel"),
        "libc": _text("its C library"),
        "python": _text("of tensorstone itself, not of the frameworks"),
        "hypervisor": Field("bool or null", "a virtual machine: neighbours may take time"),
        "governor": _or_null(_text("how the kernel chooses the clock")),
        "turbo": Field("bool or null", "whether the clock may rise above its nominal rate"),
        "max_mhz": _or_null(_number("the highest clock", "MHz")),
        "smt": Field("bool or null", "whether cores have hyper-threads"),
        "hostname": _text("the host's name"),
        "name": _text("$STONE_MACHINE, or the host's name"),
    }, Machine),
    Section("run", "How a run was run; a `compare` run also has the keys of `race`, a `train` "
            "run those of `training`.", {
        **_KNOWN_BY,
        "resumed_trials": _whole("trials that an earlier, unfinished attempt had left"),
    }),
    Section("race", "More keys of a `compare` run.", {
        "rounds": _whole("that were made"),
        "stopped": _text("why it ended"),
        "control": Field("control or null", "a contestant against itself (A/A)"),
        "background": Field("background", "what other processes did meanwhile"),
        "memory_kept": Field("bool", "whether the C library was told to keep freed memory"),
        "allocator_effect": Field("allocator effect or null", "effect of the kept memory"),
        "pairs": Field("list of pair", "every two that were ranked"),
        "overtakings": Field("list of overtaking", "who starts faster and is overtaken"),
        "totals": Field("list of total by dialect", "from nothing to the end of so many steps"),
    }),
    Section("control", "An A/A control; its true ratio is 1.", {
        "dialect": _text("who ran twice"),
        "ratio": Field("figure", "control / contestant"),
        "margin": _number("what every difference had to exceed because of it", _LOG),
    }),
    Section("background", "Background load.", {
        "turns": _whole("of all groups"),
        "disturbed": _whole("disturbed by other processes; left out unless few others remain"),
        "busy": _or_null(_number("processors others kept busy while contestants were stopped")),
    }, BackgroundLoad),
    Section("allocator effect", "One contestant without kept memory; a figure with", {
        **_FIGURE,
        "dialect": _text("who it was measured with"),
    }),
    Section("pair", "A paired ratio; a figure with", {
        **_FIGURE,
        "slower": _text("the numerator"),
        "faster": _text("the denominator"),
        "differs": Field("bool", "whether that is a difference, and not noise"),
    }),
    Section("overtaking", "A break-even point.", {
        "ahead": _text("who starts faster"),
        "then": _text("who overtakes"),
        "steps": _number("after so many", "steps"),
        "low": _or_null(_number("of the 95 % interval", "steps")),
        "high": _or_null(_number("of the 95 % interval; null with `never`", "steps")),
        "samples": _whole("processes"),
        "never": Field("bool", "whether it may be never"),
    }),
    Section("total", "Import, build, first step and the rest, in seconds; a figure with", {
        **_FIGURE,
        "steps": _whole("to the end of so many", "steps"),
    }),
    Section("training", "More keys of a `train` run.", {
        "epochs": _whole("over the training samples"),
        "seeds": _whole("trainings of each dialect"),
        "metric": _text("the recipe's metric"),
        "target": _or_null(_number("the metric that every dialect reached in the end")),
        "baseline": Field("baseline", "the trivial model"),
        "data": Field("data", "what was trained on"),
    }),
    Section("baseline", "The trivial model.", {
        "value": _or_null(_number("its metric")),
        "model": _text("what it is"),
        "unbeaten_by": Field("list of text", "dialects that ended no better"),
    }),
    Section("data", "The samples.", {
        "name": _text("of the data set"),
        "note": _text("what it is: real, or made"),
        "train_samples": _whole("trained on"),
        "test_samples": _whole("judged on"),
    }),
    Section("cell", "One workload in one dialect.", {
        "run": _whole("the number of its run"),
        "workload": _text("its name"),
        "dialect": _text("`pytorch/eager`"),
        "framework": _text("`pytorch`"),
        "version": _text("of the framework"),
        "lane": _text("`idiomatic` or `tuned`"),
        "status": _text(", ".join(f"`{status}`" for status in STATUSES)),
        "reason": _text("why, where it is not ok"),
        "last_output": _text("what the worker printed last, where it failed"),
        "alias_of": _or_null(_text("the dialect that has the very same program, whose figures "
                                   "these are")),
        "proof": Field("proof or null", "null where nothing ran"),
        "metrics": Field("metric by key", "see the table of metrics; a training adds `epochs`"),
        "rank": _or_null(_whole("cells that cannot be told apart share one")),
        "ratio": Field("figure or null", "of its step time to the fastest's"),
        "notes": Field("list of text", "what is said beside it"),
        "deployment": Field("outcome or null", "how saving, loading and predicting went"),
        "known_defect": Field("bool", "true: it is unequal only by its documented defect"),
        "seeds": Field("list of number", "of a training: the final metric with each seed"),
    }),
    Section("outcome", "How something ended.", {
        "status": _text("as a cell's"),
        "reason": _text("why"),
        "last_output": _text("what the worker printed last"),
    }),
    Section("figure", "A figure.", _FIGURE),
    Section("metric", "A figure with", {**_FIGURE, "unit": _text("what it is in")}),
    Section("epoch", "An epoch over all seeds.", {
        "epoch": _whole("from 1"),
        "loss": Field("metric", "the mean over its batches"),
        "metric": Field("metric", "the recipe's, on held-out samples"),
        "epoch_s": Field("metric", "its training steps"),
        "train_s": Field("metric", "all training steps until its end"),
    }),
    Section("proof", "How its numbers compare with the oracle's: a `level` under the name of each "
                     "level that was tried (`shape`, `forward`, `step`, `trace`, `dropout`, "
                     "`reload`, `outcome`), and", {
        "diagnosis": _or_null(_text("the known deviation that explains the numbers")),
        "first_layer": _or_null(_text("where they differ first")),
        "detail": _text("of the diagnosis"),
        "conventions": Field("list of text", "permitted variants that the numbers depend on"),
        "excluded": _number("weights whose trace is only rounding noise", "share"),
        "program": _text("SHA-256 of the program's text"),
        "conditions": Field("conditions or null", "what it was proven under"),
    }),
    Section("level", "One level; errors are relative.", {
        "error": _or_null(_number("of the array nearest to its bound, or furthest past it")),
        "tolerance": _or_null(_number("what is allowed there")),
        "passed": Field("bool or null", "null: nothing can be said, `reason` says why"),
        "worst": _text("that array"),
        "reason": _text("where nothing can be said"),
        "arrays": Field("error of an array by array", "with `show --proofs`: every array"),
    }),
    Section("error of an array", "Null where the array is missing or holds what is no number.", {
        "error": _or_null(_number("its largest, relative")),
        "bound": _or_null(_number("what is allowed")),
    }, Error),
    Section("conditions", "What a program was proven and run under.", {
        "environment": _text("the fingerprint of the installed packages, the interpreter and the "
                             "bridge"),
        "variables": Field("list of list of text", "set on purpose: name and value"),
        "threads": _whole("that it had"),
        "allocator": _text("`default` or `kept`"),
        "processor": _text("its name"),
    }, Conditions),
    Section("sweep", "Races of one workload.", {
        "workload": _text("its base's name"),
        "points": Field("list of point", "the races"),
        "fits": Field("fit or null by dialect", "where the batch changes: time as a line"),
    }),
    Section("point", "A race of a sweep.", {
        "batch": _whole("samples a step"),
        "threads": _whole("that everyone had"),
        "run": _whole("its run's number"),
    }),
    Section("fit", "Seconds a step = fixed + per sample × batch.", {
        "fixed_s": Field("figure", "a step's, whatever the batch"),
        "per_sample_s": Field("figure", "each sample's"),
        "worst": _number("the largest relative distance of a point from the line", "share"),
    }),
    Section("finding", "One thing the doctor looked at.", {
        "what": _text("what it is"),
        "state": _text("`good`, `note`, `warning` or `bad`"),
        "found": _text("how it stands"),
        "advice": _text("what would make it better"),
    }, Finding),
    Section("noise", "A race between equals.", {
        "floor": _number("a ratio closer to 1 than this is noise", "share"),
        "ratio": _number("ratio of one program to itself"),
        "low": _or_null(_number("of its 95 % interval")),
        "high": _or_null(_number("of its 95 % interval")),
        "rounds": _whole("that were made"),
        "measured": _number("when", _SECONDS),
        "threads": _whole("that they had"),
    }, Noise),
    Section("list of runs", "`stone runs`.", {
        "runs": Field("list of listed run", "the latest first"),
        "ledger": _text("the ledger's file"),
    }),
    Section("listed run", "A run in a line.", {
        **{name: said for name, said in _KNOWN_BY.items()
           if name not in ("batch", "threads", "noise_floor")},
        "series": _text("the same for all runs of one command"),
        "machine": _text("its name"),
        "dialects": Field("list of text", "its cells'"),
        "ok": _whole("number of cells with status ok"),
        "trials": _whole("number of trials that count"),
    }),
    Section("difference", "`stone diff OLD NEW`.", {
        "old": Field("side", "the run named first"),
        "new": Field("side", "the run named second"),
        "changes": Field("list of change", "of the runs as wholes"),
        "cells": Field("list of cell difference", "each dialect that is in either"),
    }),
    Section("side", "One of the two runs.", {
        **{name: said for name, said in _KNOWN_BY.items()
           if name not in ("words", "finished", "status")},
        "machine": _text("its name"),
    }),
    Section("change", "One thing that was different; empty where it was not there.", {
        "what": _text("a package, a setting, a property of the machine"),
        "old": _text("in the first run"),
        "new": _text("in the second"),
    }, Change),
    Section("cell difference", "One dialect in both.", {
        "dialect": _text("its name"),
        "old": Field("side of a cell", "in the first run"),
        "new": Field("side of a cell", "in the second"),
        "ratio": Field("figure or null", "step times, new / old, the variation between runs "
                                         "included; null where either has none"),
        "differs": Field("bool or null", "whether that is a difference; null: there is no ratio"),
        "between_runs": Field("variation between runs or null", "included in the interval"),
        "unchanged": Field("bool", "nothing that could change its speed is known to have changed"),
        "changes": Field("list of change", "versions, packages, conditions"),
        "program": Field("program difference", "of the texts"),
        "text": Field("list of text", "with `--text`: the unified diff"),
    }),
    Section("side of a cell", "A cell of one of the runs.", {
        "status": _or_null(_text("as a cell's; null: it was not there")),
        "step_s": _or_null(_number("one training step, the mean over rounds", "s")),
        "rounds": _whole("number of rounds (`train`: seeds)"),
    }),
    Section("variation between runs", "How much two runs of one program may differ.", {
        "source": _text("`unchanged-cells`: from cells in which nothing changed; `noise-floor`: "
                        "from equal programs within each run; `assumed`: nothing is known"),
        "value": _number("how much", _LOG),
        "cells": _whole("that it is taken from"),
        "floor": _number("and never less than this", _LOG),
    }, BetweenRuns),
    Section("program difference", "How many lines of the program.", {
        "added": _whole("that only the new one has"),
        "removed": _whole("that only the old one has"),
    }),
    Section("export", "`stone export --format json`.", {
        "rows": Field("list of row", "one row for each figure of each cell"),
    }),
    Section("row", "The columns of every export.", {
        "run": _whole("its number in this ledger"),
        "uuid": _text("of the run, the same in every ledger"),
        "date": _text("when the run began, UTC"),
        "command": _text("`compare`, `train` or `prove`"),
        "workload": _text("its name"),
        "batch": _whole("samples a step"),
        "threads": _whole("that every program had"),
        "machine": _text("its name"),
        "dialect": _text("`pytorch/eager`"),
        "framework": _text("`pytorch`"),
        "version": _text("of the framework"),
        "lane": _text("`idiomatic` or `tuned`"),
        "alias_of": _or_null(_text("the dialect whose figures these are")),
        "status": _text("as a cell's"),
        "rank": _or_null(_whole("as a cell's")),
        "metric": _or_null(_text("a key of the table of metrics, or `ratio`: to the fastest; null: "
                                 "the cell has no figure")),
        "value": _FIGURE["value"],
        "low": _FIGURE["low"],
        "high": _FIGURE["high"],
        "kind": _or_null(_FIGURE["kind"]),
        "n": _or_null(_FIGURE["samples"]),
        "unit": _or_null(_text("what it is in")),
    }, Row),
    Section("description", "`stone describe`.", {
        "name": _text("of the workload"),
        "title": _text("as tables head it"),
        "source": _text("where it was published, and what was left out there"),
        "model": _text("the model's name, a class in programs"),
        "input": Field("list of whole", "a sample's shape"),
        "layers": Field("list of described layer", "in the order of computation"),
        "parameters": _whole("numbers that training changes"),
        "multiplications": _whole("of inputs with weights, of one sample, forwards"),
        "flops": _whole("of one sample, forwards: twice as many"),
        "step_flops": _whole("of one training step, about: three forward passes of a batch"),
        "loss": _text("that is trained"),
        "optimiser": _text("with all its numbers"),
        "batch": _whole("samples a step"),
        "epochs": _whole("of a whole training"),
        "metric": _text("that held-out samples are judged by"),
        "initial_weights": _text("how they are drawn"),
        "data": _text("the data set"),
        "samples": _whole("training samples of it"),
        "values": _text("what synthetic inputs look like"),
        "data_state": _text("of the real set: `here`, `generated`, `to-get` or `none`"),
    }, Description),
    Section("described layer", "A layer, or a join of several paths.", {
        "name": _text("unique in the model"),
        "kind": _text("`Conv2D`; of a join `concat` or `add`"),
        "settings": _text("as they are written; those that are as usual are left out"),
        "output": Field("list of whole", "its output's shape for one sample"),
        "parameters": _whole("its own"),
        "multiplications": _whole("its own"),
    }, DescribedLayer),
    Section("data export", "`stone data export`.", {
        "data": _text("the data set"),
        "workload": _text("as which it is shaped and scaled"),
        "file": _text("that was written"),
        "layout": _text("of images: `NCHW` or `NHWC`"),
        "train_samples": _whole("in it"),
        "test_samples": _whole("in it"),
        "bytes": _whole("the file's size", "B"),
        "note": _text("what was done to the set"),
    }),
    Section("merge", "`stone ledger merge`.", {
        "merged": Field("merged by file", "the result for each file"),
    }),
    Section("merged", "A file.", {
        "added": Field("list of whole", "the numbers of new runs"),
        "completed": Field("list of whole", "runs that were unfinished here"),
        "known": _whole("runs that were here already"),
    }),
    Section("forget", "`stone ledger forget`.", {
        "forgotten": Field("list of whole", "the numbers of the runs"),
    }),
)  # fmt: skip

BY_NAME: dict[str, Section] = {section.name: section for section in SECTIONS}
