"""The cases of fuzz.py: each makes one thing wrong, and lets the program meet it."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import sqlite3
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from racers import harness_contestant

from tensorstone import cli
from tensorstone.ledger import Ledger, Recorder, reading
from tensorstone.models.load import find, names
from tensorstone.proof import cache
from tensorstone.race.group_run import Group, run_group
from tensorstone.race.plan import Contestant
from tensorstone.race.process_run import Assignment
from tensorstone.race.rounds import Race
from tensorstone.results.events import RaceProgress, SilentObserver
from tensorstone.results.outcome import OK
from tensorstone.results.proof import Error, Level, Proof
from tensorstone.results.run import CellRecord, WorkloadFacts
from tensorstone.results.settings import RaceSettings
from tensorstone.results.trial import Block, Trial
from tensorstone.runtime import process
from tensorstone.runtime.environments import install
from tensorstone.runtime.invocation import Invocation
from tensorstone.session import comparing, entries, noise
from tensorstone.session.running import Series
from tensorstone.support.errors import StoneError

SPEAKER = Path(__file__).with_name("fuzz_speaker.py")
DIALECTS = ("a/one", "b/two", "c/three")


class Lost(Exception):
    """A cell that had nothing wrong with it is not in the result."""


def prepare(base: Path) -> None:
    """Once, before the first case: folders of this benchmark's own, nothing installed or raced."""
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        os.environ[name] = str(base / "home")
    for name in [name for name in os.environ if name.startswith("STONE_")]:
        del os.environ[name]
    (base / "home").mkdir()
    os.chdir(base)

    def nothing(framework: Any, progress: Any = None) -> Any:
        if not framework.python:
            return kept(framework, progress)
        raise StoneError("not here", "this is a test of words alone")

    kept = entries.ensure
    entries.ensure = install.ensure = nothing
    process.START_TIMEOUT_S = 5.0  # a worker that says nothing is waited for so long
    comparing.race = lambda plan, observer, earlier=(): Race((), 0, "not here")
    _make_ledger(base / "ledger.sqlite")
    _TEMPLATE.append(base / "ledger.sqlite")


# Words on the command line

NASTY = (
    "", " ", "-", "--", "---", "\x00", "\n", "\udce4", "é", "💥", "[red]", "[/x]", "%s", "{0}",
    "../..", "/", "/dev/zero", "/dev/null", "./no.py", "~nosuch/x", "x" * 300, "9" * 400, "-1",
    "0", "1e999", "nan", "inf", "-inf", "1,2,,3", ",", "1h", "5m", "90s", "2%", "100%", "0%",
    "true", "None", "latest", "1", "2", "1-9", "9-1", "abcd", "ffff", "*", "$(id)", "`id`", ";",
    "lenet", "lenett", "LeNet", "null", "null/nothing", "pytorch/eager", "torch", "mxnet@1.3.1",
    "idiomatic", "tuned", "md", "csv", "json", "parquet", "workloads", "dialects", "layers",
    "versions", "data", "deviations", "mnist", "linear", "all", "real", "synthetic", "kept",
)  # fmt: skip
DIALECT_WORDS = ("--dialects", "-d", "--lane", "--all")
# Each command, and the options it has.
COMMANDS: dict[tuple[str, ...], tuple[str, ...]] = {
    ("compare",): (*DIALECT_WORDS, "--budget", "--precision", "--batch", "--threads", "--dry-run",
                   "--feed-workers", "--allocator", "--timeout"),
    ("prove",): (*DIALECT_WORDS, "--threads", "--timeout"),
    ("train",): (*DIALECT_WORDS, "--epochs", "--seeds", "--threads", "--data", "--timeout"),
    ("translate",): ("--to", "--all", "--out"),
    ("list",): (),
    ("runs",): ("--limit", "-n"),
    ("show",): ("--notes", "--proofs", "--program"),
    ("export",): ("--format", "--out"),
    ("diff",): ("--text",),
    ("ledger", "merge"): (),
    ("ledger", "forget"): ("--yes",),
    ("data", "list"): (),
    ("data", "get"): ("--from",),
    ("env", "list"): (),
    ("env", "remove"): (),
    ("env", "install"): (),
    ("nosuch",): (),
    (): (),
}  # fmt: skip
SWITCHES = ("--all", "--dry-run", "--notes", "--proofs", "--text", "--yes", "--json", "--help")
NAMES = ("lenet", "mlp-regression", "gru-series")


def words(rng: random.Random, folder: Path) -> None:
    """A command with words and options drawn at random. With --json one object is printed."""
    command = rng.choice(list(COMMANDS))
    said = [*command]
    if command in (("compare",), ("prove",), ("train",), ("translate",)) and rng.random() < 0.8:
        said.append(rng.choice(NAMES))
    if command in (("show",), ("export",), ("diff",)) and rng.random() < 0.7:
        said += rng.choices(("1", "2", "latest"), k=2 if command == ("diff",) else 1)
    for _ in range(rng.randrange(4)):
        said += _option(rng, COMMANDS[command]) if rng.random() < 0.7 else [_word(rng)]
    os.chdir(folder)
    _own_ledger(folder)
    _command(said, folder)


def _option(rng: random.Random, own: tuple[str, ...]) -> list[str]:
    """One of the command's own, mostly, with a word behind it where it takes one."""
    name = rng.choice((*own, *own, *own, "--json", "--help", "--nosuch"))
    return [name] if name in SWITCHES else [name, _word(rng)]


def _word(rng: random.Random) -> str:
    word = rng.choice(NASTY)
    if rng.random() < 0.2:
        word += rng.choice(NASTY)
    if rng.random() < 0.1 and word:
        at = rng.randrange(len(word))
        word = word[:at] + chr(rng.choice((0x7F, 0x202E, 0x1F4A9, 0xDC80, 0x41))) + word[at + 1 :]
    return word


def _command(said: list[str], folder: Path) -> None:
    sys.argv = ["stone", *(word.replace("\x00", "") for word in said)]
    try:
        cli.main()
    except SystemExit as ended:
        if ended.code not in (None, 0, 1, 2, 3, 4, 130):
            raise AssertionError(f"exit code {ended.code}") from None
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
    if "--json" in said and "--help" not in said and "-h" not in said:
        text = (folder / "stdout").read_text(encoding="utf-8", errors="strict")
        if text:
            json.loads(text, parse_constant=_no_constant)


def _no_constant(word: str) -> None:
    raise AssertionError(f"{word} in JSON")


# Workload files

PIECES = (
    "x", "net", "self", "training", "nn", "rngs", "model", "step", "data", "super", "DataLoader",
    "class", "lambda", "0", "-1", "1e9", "2**40", "None", "'a'", "'[/x]'", "'\\n'", "'\\ud800'",
    "float('nan')", "[]", "{}", "()", "(1, 2)", "(1, 2, 3)", "True", "Adam()", "ReLU()",
    "Flatten()", "Dense(3)", "Dropout(0.5)", "BatchNorm()", "Softmax()", "Conv2D(4, kernel=3)",
    "MaxPool2D(2)",
    "1/0", "exit()", "raise KeyboardInterrupt", "print(1)", "__import__('os').write(1, b'x')",
)  # fmt: skip


def workloads(rng: random.Random, folder: Path) -> None:
    """A catalogue workload's own file with pieces exchanged, translated into several dialects."""
    tokens = _cut(rng.choice(_sources()))
    values = [at for at, token in enumerate(tokens) if token.replace(".", "").isalnum()]
    for _ in range(rng.randint(1, 3)):
        at = rng.choice(values[20:])  # mostly behind the imports
        choice = rng.random()
        if choice < 0.6:
            tokens[at] = rng.choice(PIECES)
        elif choice < 0.7:
            tokens[at] = ""
        elif choice < 0.9:
            tokens[at] = tokens[rng.choice(values)]
        else:
            tokens[at] += rng.choice((",", "(", " = ", "\n", "."))
    os.chdir(folder)
    data = "".join(tokens).encode("utf-8", "surrogatepass")
    if rng.random() < 0.05:
        data = data[: rng.randrange(len(data))] + bytes([rng.randrange(256)])
    Path("mine.py").write_bytes(data)
    to = rng.choice(("null", "pytorch/eager", "jax/flax", "mxnet/module", "tensorflow/keras"))
    _command(["translate", "./mine.py", "--to", to, "--json"], folder)
    said = json.loads((folder / "stdout").read_text(encoding="utf-8") or "{}")
    for cell in said.get("cells", ()):
        if cell["source"]:
            compile(cell["source"], cell["dialect"], "exec")


def _sources() -> list[str]:
    """Files of the catalogue, as a person would write them beside."""
    folder = Path(sys.modules[find.__module__].__file__ or "").parent / "catalogue"
    found = [folder / f"{name.replace('-', '_')}.py" for name in names()]
    texts = [path.read_text(encoding="utf-8") for path in found if path.exists()]
    return [text.replace('    name="', '    name="my-') for text in texts]


def _cut(source: str) -> list[str]:
    tokens, word = [], ""
    for letter in source:
        if letter.isalnum() or letter in "_.":
            word += letter
            continue
        tokens += [word, letter] if word else [letter]
        word = ""
    return [*tokens, word]


# Lines of a worker


@dataclass(frozen=True)
class Speaking(Invocation):
    """A worker that says what it was told to instead of doing anything."""

    request: str = ""
    line: Path = Path()  # the file that holds what it answers to `request`, as it is

    def command(self, fd_in: int, fd_out: int) -> list[str]:
        words = [str(SPEAKER), str(fd_in), str(fd_out), self.request, str(self.line)]
        return [sys.executable, "-I", "-S", *words]


ANSWERS: tuple[Any, ...] = (
    None, [], {}, [1], "x", 1, True, {"ok": None}, {"ok": []}, {"ok": {}}, {"ok": 1},
    {"error": "x"}, {"error": {}}, {"error": None}, {"error": {"kind": 1}},
    {"error": {"kind": "exception", "type": "E", "message": "\ud800", "traceback": 1}},
    {"hello": 1}, {"gone": {}}, {"gone": 1}, {"gone": {"signal": "x"}}, {"gone": {"code": 10**30}},
    {"ok": {"wall_s": "x"}}, {"ok": {"wall_s": -1.0, "steps": 0}}, {"ok": {"import_s": None}},
)  # fmt: skip
RAW = ("[" * 200_000, "{" * 1000, "NaN", "Infinity", "", "\u0000", "é", "rubbish", '{"id": 1e999}')
REQUESTS = ("hello", "load", "new", "learner", "train", "feed", "block")


def protocol(rng: random.Random, folder: Path) -> None:
    """Two contestants take turns; one answers one request with nonsense. The other is well."""
    good = {"wall_s": 0.01, "cpu_s": 0.01, "steps": 5}
    answer = rng.choice(ANSWERS) if rng.random() < 0.6 else {"ok": _mutated(rng, good)}
    if isinstance(answer, dict) and rng.random() < 0.9:
        answer = {"id": "ID", **answer}
    line = rng.choice(RAW) if rng.random() < 0.2 else json.dumps(answer)
    wrong = _speaker(folder, "wrong", line, rng.choice(REQUESTS))
    right = _speaker(folder, "right", "", "")
    members = tuple((c, Assignment(1, place, 8.0)) for place, c in enumerate((wrong, right)))
    settings = RaceSettings(budget_s=1.0, block_s=0.01, warmup_s=0.01, turns=2)
    made = {t.dialect: t for t in run_group(Group(members, 2, 2), settings, SilentObserver())}
    if not made["right"].outcome.ok:
        raise Lost(f"{line[:80]!r}: the other contestant is {made['right'].outcome}")
    json.dumps([t.outcome.reason for t in made.values()]).encode()


def _mutated(rng: random.Random, fields: dict[str, Any]) -> dict[str, Any]:
    odd: tuple[Any, ...] = (None, "x", [], {}, -1, 0, 1e308, 10**30, True, float("nan"), "\ud800")
    return {k: rng.choice(odd) if rng.random() < 0.5 else v for k, v in fields.items()}


def _speaker(folder: Path, name: str, line: str, request: str) -> Contestant:
    program, data, said = (folder / f"{name}{end}" for end in (".py", ".npz", ".line"))
    program.write_text("", encoding="utf-8")
    said.write_bytes(line.encode("utf-8", "surrogatepass"))
    np.savez(data, x=np.zeros((8, 1), np.float32), y=np.zeros(8, np.float32))
    invocation = Speaking(Path(sys.executable), {}, (), 1, folder, request, said)
    return harness_contestant(name, program, invocation, data, data)


# Rows of the ledger

_TEMPLATE: list[Path] = []
COLUMNS = {
    "runs": ("command", "plan", "machine", "status", "note", "uuid", "series", "words", "version",
             "workload", "settings", "threads", "noise_floor", "resumed", "findings", "noise",
             "started", "finished"),
    "cells": ("workload", "dialect", "framework", "version", "lane", "status", "reason",
              "last_output", "proof", "program_hash", "conditions", "packages", "alias_of",
              "known_defect", "note"),
    "trials": ("round", "place", "status", "reason", "version", "cold_import_s", "warmup_steps",
               "peak_rss_bytes", "cpu_use", "wall_s", "notes", "feeding", "deployment", "group",
               "role", "background_load"),
    "blocks": ("steps", "wall_s", "cpu_s", "minor_faults", "disturbed", "background_load"),
    "programs": ("text", "lines", "dialect"),
}  # fmt: skip
READERS = (
    ("runs",), ("show", "1"), ("show", "1", "--json"), ("show", "1", "--notes"), ("diff", "1", "2"),
    ("show", "1", "--proofs"), ("export", "1", "--format", "md"), ("export", "--format", "csv"),
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, "", "x", "garbage", "null", "[]", "[1,2]", "{}", "[" * 5000, '"x"', "NaN", -1, 0, 1e308,
    float("inf"), 2**62, b"\xff\x00", "\ud7ff", "[/red]", "banana", '{"a": 1}', 1.5,
)  # fmt: skip


def rows(rng: random.Random, folder: Path) -> None:
    """One value of one row is changed; every command that reads the ledger is given it. Cells whose
    rows are whole are shown."""
    path = _own_ledger(folder)
    table = rng.choice(list(COLUMNS))
    column, value = rng.choice(COLUMNS[table]), rng.choice(VALUES)
    with sqlite3.connect(path) as db:
        places = [row[0] for row in db.execute(f"SELECT rowid FROM {table}")] if table not in (
            "blocks", "programs") else []  # fmt: skip
        where = f" WHERE rowid = {rng.choice(places)}" if places else ""
        with contextlib.suppress(sqlite3.IntegrityError):
            db.execute(f'UPDATE {table} SET "{column}" = ?{where}', (value,))
    db.close()
    os.chdir(folder)
    touched = table in ("runs", "blocks", "programs") or column == "dialect"
    with Ledger(path) as ledger:
        found = {cell.dialect for cell in reading.record(ledger, 1).cells}
        if not touched and len(found & set(DIALECTS)) < len(DIALECTS):
            raise Lost(f"{table}.{column} = {value!r}: {found}")
        reading.record_to_resume(ledger, 1)
    command = rng.choice(READERS)
    _command([*command], folder)


def _own_ledger(folder: Path) -> Path:
    """A copy of the ledger that every case begins with."""
    home = folder / "data"
    os.environ["XDG_DATA_HOME"] = str(home)
    path = home / "tensorstone" / "ledger.sqlite"
    path.parent.mkdir(parents=True)
    shutil.copy(_TEMPLATE[0], path)
    return path


def _make_ledger(path: Path) -> None:
    """Two runs of three dialects, two rounds each."""
    with Ledger(path) as ledger:
        for plan in ("one", "two"):
            series = Series(ledger, "compare", ("stone", "compare", "lenet"))
            facts = series.facts(WorkloadFacts("lenet", "LeNet", 8), RaceSettings(), 2, 0.01)
            run = ledger.begin(facts, plan)
            proof = Proof(OK, "sha", None, {"forward": Level(1e-7, 1e-5, True, "outputs")})
            cells = {
                name: ledger.open_cell(
                    run, "lenet", CellRecord(name, name[0], "1", "idiomatic", proof=proof)
                )
                for name in DIALECTS
            }
            recorder = Recorder(ledger, cells)
            for round in (1, 2):
                for place, name in enumerate(DIALECTS):
                    _record(recorder, Trial(name, round, place, cold_import_s=1.0, wall_s=2.0))
            ledger.finish(run, note="enough")


def _record(recorder: Recorder, trial: Trial) -> None:
    from msgspec.structs import replace

    recorder.trial_started(trial)
    for index in range(5):
        block = Block(5, 0.05 + trial.place / 100, 0.05, 0, 0, 0, 0)
        trial = replace(trial, blocks=(*trial.blocks, block))
        recorder.block(trial, index, block)
    recorder.trial_ended(trial, RaceProgress(0, 1.0, 1.0))


# Files of the caches


def caches(rng: random.Random, folder: Path) -> None:
    """A kept proof, noise floor or assembled run whose file was changed: it is that or nothing."""
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
    which = rng.choice(("proof", "noise", "assembled"))
    if which == "proof":
        proof = Proof(
            OK, "sha", None, {"step": Level(1e-7, 1e-5, True, "w", "", {"w": Error(1, 2)})}
        )
        cache.keep("name", proof)
        _damage(rng, next((folder / "cache").rglob("name.json")))
        if cache.find("name") not in (None, proof):
            raise AssertionError("a changed proof counts")
        return
    if which == "noise":
        path = noise._kept(1)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('{"floor": 0.01}', encoding="utf-8")
        _damage(rng, path)
        noise.known(1)
        return
    _own_ledger(folder)
    os.chdir(folder)
    _command(["show", "1"], folder)
    _damage(rng, next((folder / "cache").rglob("*.bin")))
    before = (folder / "stdout").stat().st_size
    _command(["show", "1"], folder)
    if (folder / "stdout").stat().st_size != 2 * before:
        raise Lost("a changed cache file changed the result")


def _damage(rng: random.Random, path: Path) -> None:
    data = bytearray(path.read_bytes())
    match rng.randrange(7):
        case 0:
            data = data[: rng.randrange(len(data))]
        case 1:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        case 2:
            data = bytearray(rng.choice((b"null", b"[]", b"{}", b"[" * 100_000, b"\xff", b"")))
        case 3:
            path.unlink()
            os.mkfifo(path)
            return
        case 4:
            path.unlink()
            path.symlink_to("/dev/zero")
            return
        case 5:
            path.unlink()
            path.mkdir()
            return
        case _:
            data += rng.randbytes(10)
    path.write_bytes(data)


KINDS: dict[str, tuple[float, Callable[[random.Random, Path], None]]] = {
    "words": (0.3, words),
    "workloads": (0.2, workloads),
    "protocol": (0.05, protocol),
    "rows": (0.25, rows),
    "caches": (0.2, caches),
}
