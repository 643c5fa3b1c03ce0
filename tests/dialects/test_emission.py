"""What holds for every emitted program of the catalogue."""

from __future__ import annotations

import ast
import re
from difflib import unified_diff
from itertools import combinations, product
from pathlib import Path

import pytest
from emitted import DIALECTS, SECTIONS, lint, programs, ruff, said_by, source, written

from tensorstone.dialects.emit import emit, file_name, supports
from tensorstone.dialects.measures import code_complexity, code_lines
from tensorstone.dialects.registry import dialects, frameworks
from tensorstone.models.load import find, names

WIDTH = 88
SYMBOLIC = ("module", "symbolblock")
DIALECT_NAMES = [dialect.name for dialect in DIALECTS]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(programs(), tmp_path_factory.mktemp("programs"))


# Why a dialect does not say a workload of the catalogue, for all that do not.
UNSAID = {
    "cntk/layers": {"gru1: CNTK's GRU has one bias, not two"},
    "dynet/minibatch": {
        "conv1: DyNet pads to keep a map's size (a mean counts it) or not",
        "gru1: GRUBuilder applies the reset gate before the product with the state",
        "optimiser: RMSPropTrainer adds epsilon inside the root",
    },
    "keras2/cntk": {
        "Keras on CNTK is right about LSTMs only unrolled, and 1,024 steps are too long to build: "
        "512 at most"
    },
    "keras2/cntk-rolled": {"the same program as keras2/cntk: the model has no LSTM"},
    "keras2/mxnet-rolled": {"the same program as keras2/mxnet: the model has no recurrent layer"},
    "lasagne/theano": {"gru1: Lasagne's GRULayer has one bias, not two"},
    "oneflow/graph": {
        "nn.Graph unrolls sequences, and 1,024 steps are too long to build: 512 at most"
    },
    "tinygrad/jit": {
        "gru1: tinygrad has no GRU",
        "lstm1: tinygrad does not schedule 250 steps in ten minutes",
        "lstm1: tinygrad does not schedule 256 steps in ten minutes",
    },
}


def test_every_dialect_says_every_workload_of_the_catalogue_or_why_not():
    unsaid: dict[str, set[str]] = {}
    for name, dialect in product(names(), DIALECT_NAMES):
        if (name, dialect) not in programs():
            unsaid.setdefault(dialect, set()).add(supports(find(name), dialects()[dialect]))
    assert unsaid == UNSAID


def test_ruff_finds_nothing_to_say(folder):
    assert lint(str(folder)) == ""


def test_ruff_would_format_them_the_same(folder):
    assert ruff("format", "--check", "--line-length", str(WIDTH), str(folder)) == ""


def test_lines_are_no_wider_than_a_page():
    wide = [
        (pair, line)
        for pair, text in programs().items()
        for line in text.splitlines()
        if len(line) > WIDTH and " " in line.strip().removeprefix("# ")
    ]
    assert wide == []


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
def test_every_program_has_the_same_sections_in_the_same_order(dialect):
    for name in said_by(dialect):
        tree = ast.parse(source(name, dialect) or "")
        functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
        assert [name for name in functions if name in SECTIONS] == SECTIONS
        assert ast.get_docstring(tree), "says what it is"
        last = tree.body[-1]
        assert isinstance(last, ast.If)
        assert ast.unparse(last.test) == "__name__ == '__main__'"


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
def test_sections_take_what_the_worker_gives_them(dialect):
    tree = ast.parse(source(said_by(dialect)[0], dialect) or "")
    taken = {
        node.name: [argument.arg for argument in node.args.args]
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
    }
    # Loaders that can have worker processes take how many.
    taken["batches"] = [argument for argument in taken["batches"] if argument != "workers"]
    assert {name: taken[name] for name in SECTIONS} == {
        "network": [],
        "learner": ["net"],
        "batches": ["x", "y", "batch_size"],
        "train": ["learner", "batches"],
        "predict": ["net", "x"],
        "save": ["net", "path"],
        "load": ["path"],
        "data": [],
    }


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
def test_nothing_is_defined_twice(dialect):
    for name in names():
        tree = ast.parse(source(name, dialect) or "")
        kinds = (ast.FunctionDef, ast.ClassDef)
        defined = [node.name for node in tree.body if isinstance(node, kinds)]
        assert len(set(defined)) == len(defined)


@pytest.mark.parametrize("dialect", [d for d in DIALECT_NAMES if "googlenet" in said_by(d)])
def test_the_inception_module_is_defined_once_and_used_nine_times(dialect):
    text = source("googlenet", dialect) or ""
    definitions = re.findall(r"^ *(?:class|def) (inception\w*)", text, re.MULTILINE | re.IGNORECASE)
    assert len(definitions) == 1

    tree = ast.parse(text)
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == definitions[0]
    ]
    assert len(calls) == 9


def _relatives() -> list[tuple[str, str]]:
    """Pairs of a framework's dialects that say the model in the same words.

    MXNet has two languages for models: a Symbol (Module, SymbolBlock) and Gluon's blocks.
    """
    return [
        (one.name, other.name)
        for framework in frameworks().values()
        for one, other in combinations(framework.dialects, 2)
        if (one.short in SYMBOLIC) == (other.short in SYMBOLIC)
        and "lenet" in set(said_by(one.name)) & set(said_by(other.name))
    ]


@pytest.mark.parametrize(("first", "second"), _relatives())
def test_dialects_of_a_framework_differ_only_where_the_dialect_does(first, second):
    small, large = (
        _changed(source(name, first) or "", source(name, second) or "")
        for name in ("lenet", "googlenet")
    )
    # The loop may be another one, but a larger model must not make a larger difference.
    assert 0 < small <= 55
    assert abs(large - small) <= 6


def _changed(before: str, after: str) -> int:
    """Lines taken out and lines put in, docstrings aside."""
    lines = unified_diff(before.splitlines()[1:], after.splitlines()[1:], lineterm="", n=0)
    return sum(line[:1] in "+-" and line[:3] not in ("+++", "---") for line in lines)


def test_emission_is_deterministic():
    for dialect in DIALECT_NAMES:
        for name in said_by(dialect)[:2]:
            assert emit(find(name), dialects()[dialect]) == source(name, dialect)


def test_measures_of_every_program_make_sense():
    for (name, dialect), text in programs().items():
        assert len(SECTIONS) < code_lines(text) < len(text.splitlines()), (name, dialect)
        assert len(SECTIONS) - 1 <= code_complexity(text) < 40, (name, dialect)


def test_files_are_named_for_workload_and_dialect():
    assert file_name(find("lenet"), dialects()["pytorch/eager"]) == "lenet_pytorch_eager.py"
    found = {file_name(find(name), dialect) for name in names() for dialect in DIALECTS}
    assert len(found) == len(names()) * len(DIALECTS)
