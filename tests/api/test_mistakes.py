"""Mistakes in Python: one exception, with what is wrong and what to do, and nothing else."""

from __future__ import annotations

import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from api.conftest import SMALL

import tensorstone as stone
from tensorstone.models import Dense, Model, Workload
from tensorstone.models.load import find

MISTAKES: dict[str, tuple[Callable[[], Any], str]] = {
    "no such workload": (lambda: stone.compare("lenett"), "no workload called 'lenett'"),
    "no workload at all": (lambda: stone.compare([]), "no workload is named"),
    "a number for a workload": (lambda: stone.prove(42), "42 is not a workload"),  # type: ignore[arg-type]
    "a number among workloads": (lambda: stone.train(["lenet", 7]), "7 is not a workload"),  # type: ignore[list-item]
    "no such file": (lambda: stone.prove(Path("nowhere.py")), "there is no file nowhere.py"),
    "no such dialect": (lambda: stone.translate("lenet", "jaxx"), "'jaxx'"),
    "a number for a dialect": (lambda: stone.prove("lenet", [3]), "3 is not a dialect"),  # type: ignore[list-item]
    "no such lane": (lambda: stone.compare("lenet", lane="fast"), "lane 'fast'"),
    "several dialects": (lambda: stone.translate("lenet", "mxnet"), "mxnet/module"),
    "not in this dialect": (lambda: stone.translate("gru-imdb", "cntk/layers"), "one bias"),
    "no duration": (lambda: stone.compare("lenet", budget="soon"), "'soon' is not a duration"),
    "a negative duration": (lambda: stone.compare("lenet", budget=-1), "-1 is not a duration"),
    "endless": (lambda: stone.prove("lenet", timeout=float("inf")), "inf is not a duration"),
    "no precision": (lambda: stone.compare("lenet", precision=3), "'3' is not a precision"),
    "no threads": (lambda: stone.compare("lenet", threads=0), "0 is no whole number"),
    "threads as text": (lambda: stone.prove("lenet", threads="2"), "threads cannot be '2'"),  # type: ignore[arg-type]
    "too many threads": (lambda: stone.compare("lenet", threads=10_000), "10000 threads"),
    "half a batch": (lambda: stone.compare("lenet", batch=[1.5]), "1.5 is no whole number"),  # type: ignore[list-item]
    "no seeds": (lambda: stone.train("lenet", seeds=0), "seeds cannot be 0"),
    "fewer than no epochs": (lambda: stone.train("lenet", epochs=-1), "epochs cannot be -1"),
    "no such data": (lambda: stone.train("lenet", data="fake"), "kind of data called 'fake'"),
    "no such allocator": (lambda: stone.compare("lenet", allocator="x"), "allocator called 'x'"),
    "no runs yet": (stone.show, "no runs yet"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_said_before_any_work(name: str) -> None:
    call, said = MISTAKES[name]
    with pytest.raises(stone.StoneError) as raised:
        call()
    assert said in raised.value.message
    assert raised.value.hint
    shown = "".join(traceback.format_exception(raised.value))
    assert "During handling" not in shown and "direct cause" not in shown
    assert raised.value.hint in shown
    if name != "no runs yet":
        assert stone.runs() == []


def test_a_catalogue_name_is_taken() -> None:
    lenet = find("lenet")
    model = Model("Other", (784,), [Dense(10)])
    mine = Workload("lenet", "Mine", model, lenet.recipe, lenet.data)
    with pytest.raises(stone.StoneError, match="differs from the catalogue's") as raised:
        stone.prove(mine, "null")
    assert "my-lenet" in raised.value.hint


def test_two_workloads_of_one_name_are_a_mistake() -> None:
    small = find(str(SMALL))
    other = Workload(small.name, "Another", small.model, small.recipe, small.data)
    with pytest.raises(stone.StoneError, match="two different workloads"):
        stone.compare([small, other], "null", progress=False)
    assert stone.runs() == []


def test_a_missing_cell_and_a_missing_run_say_what_is_there(result: stone.Result) -> None:
    with pytest.raises(stone.StoneError) as raised:
        result.cell("jax/flax")
    assert raised.value.hint == "there are: null/nothing on small-cnn"
    with pytest.raises(stone.StoneError, match="no run '99'"):
        stone.show(99)


def test_a_notebook_shows_a_mistake_in_two_lines() -> None:
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output

    shell = InteractiveShell.instance()
    try:
        with capture_output() as captured:
            shell.run_cell("import tensorstone as stone\nstone.compare('lenett')")
    finally:
        InteractiveShell.clear_instance()
    lines = captured.stdout.strip().splitlines()
    assert lines == [
        "StoneError: there is no workload called 'lenett'",
        "  did you mean lenet or alexnet or googlenet? (or give the path of your own .py file)",
    ]


def test_importing_loads_none_of_the_engine() -> None:
    """What takes time is imported by the call that needs it."""
    program = (
        "import sys; before = set(sys.modules); import tensorstone as stone; "
        "stone.__version__; dir(stone); print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    loaded = done.stdout.split()
    assert "tensorstone" in loaded, done.stderr
    heavy = {"numpy", "polars", "altair", "scipy", "rich", "msgspec", "tensorstone.api"}
    assert not heavy & set(loaded)


def test_everything_public_is_named_documented_and_listed() -> None:
    from tensorstone import api

    assert set(api.__all__) | {"__version__"} == set(stone.__all__)
    assert set(api.__all__) <= set(dir(stone))
    for name in api.__all__:
        assert (getattr(stone, name).__doc__ or "").strip(), name
    for kind in (stone.Result, stone.Runs, stone.ProgramText):
        own = [m for n, m in vars(kind).items() if not n.startswith("_")]
        for member in own:
            assert (member.__doc__ or "").strip(), f"{kind.__name__}.{member}"
    with pytest.raises(AttributeError, match="no attribute 'banana'"):
        stone.banana  # noqa: B018


def test_types_are_shipped() -> None:
    assert (Path(stone.__file__).parent / "py.typed").is_file()
