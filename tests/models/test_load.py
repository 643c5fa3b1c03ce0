"""Finding workloads, and every way a person's own file can be wrong."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tensorstone.models.load import find
from tensorstone.support.errors import StoneError

GOOD = """\
from tensorstone.models import *

net = Model("Mine", (1, 8, 8), [Conv2D(4, kernel=3), ReLU(), Flatten(), Dense(3)])
workload = Workload(
    name="mine",
    title="Mine",
    model=net,
    recipe=Recipe("softmax-cross-entropy", SGD(0.1), batch=8, epochs=1, metric="accuracy"),
    data=Data("mine", samples=64),
)
"""


def written(folder: Path, text: str | bytes, name: str = "mine.py") -> str:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def refused(word: str) -> tuple[str, str]:
    with pytest.raises(StoneError) as caught:
        find(word)
    return caught.value.message, caught.value.hint


def test_a_file_is_found_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find(written(tmp_path, GOOD)).model.name == "Mine"
    assert find(written(tmp_path, GOOD, "without-ending")).name == "mine"
    monkeypatch.chdir(tmp_path)
    assert find("./mine.py").name == find("mine.py").name == "mine"
    assert not list(tmp_path.rglob("__pycache__"))


def test_the_catalogue_wins_over_a_file_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, GOOD, "lenet")
    monkeypatch.chdir(tmp_path)
    assert find("lenet").name == "lenet"
    assert find("./lenet").name == "mine"


def test_any_name_will_do_for_an_only_workload(tmp_path: Path) -> None:
    text = GOOD.replace("workload = Workload(", "experiment = again = Workload(")
    assert find(written(tmp_path, text)).name == "mine"


def test_the_one_called_workload_is_meant_when_there_are_several(tmp_path: Path) -> None:
    text = GOOD + "from dataclasses import replace\nother = replace(workload, name='other')\n"
    assert find(written(tmp_path, text)).name == "mine"


def test_what_a_file_prints_goes_to_standard_error(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD + "print('hello from the file')\n")
    code = f"from tensorstone.models.load import find; import json; find({path!r}); print('[]')"
    source = str(Path(__file__).parents[2] / "src")
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": source}
    )
    assert json.loads(done.stdout) == []
    assert "hello from the file" in done.stderr


def test_an_unknown_name() -> None:
    message, hint = refused("lenett")
    assert message == "there is no workload called 'lenett'"
    assert hint.startswith("did you mean lenet")
    assert "path" in hint
    assert "did you mean vgg-cifar10?" in refused("vgg")[1]
    assert "stone list workloads" in refused("qqqqqq")[1]


@pytest.mark.parametrize("word", ["lenet", "LeNet", "LENET"])
def test_a_name_in_any_case(word: str) -> None:
    assert find(word).name == "lenet"


def test_underscores_for_hyphens() -> None:
    assert find("CNN_CIFAR10").name == "cnn-cifar10"


def test_no_such_file(tmp_path: Path) -> None:
    written(tmp_path, GOOD)
    message, hint = refused(str(tmp_path / "mime.py"))
    assert message == f"there is no file {tmp_path / 'mime.py'}"
    assert hint == "did you mean mine.py?"
    (tmp_path / "empty").mkdir()
    assert "no .py file" in refused(str(tmp_path / "empty" / "mine.py"))[1]
    assert str(tmp_path / "no") in refused(str(tmp_path / "no" / "mine.py"))[1]


def test_a_folder(tmp_path: Path) -> None:
    assert refused(str(tmp_path))[0] == f"{tmp_path} is a folder"
    (tmp_path / "odd.py").mkdir()
    assert "cannot be read" in refused(str(tmp_path / "odd.py"))[0]


@pytest.mark.parametrize("word", ["a" * 5000, "~nobody-here/x", "", "nul\0", "/"])
def test_words_that_can_be_no_file(word: str) -> None:
    assert all(refused(word))


@pytest.mark.parametrize("word", ["a" * 5000 + ".py", "nul\0.py"])
def test_files_that_cannot_be_opened(word: str) -> None:
    assert "cannot be read" in refused(word)[0]


MISTAKES = {
    # what is changed: (from, to, line, message, hint)
    "syntax": ("ReLU(),", "ReLU() ReLU(),", 3, "invalid syntax", "correct the line: net = Model"),
    "indent": ("net = ", "  net = ", 3, "unexpected indent", "correct the line: net = Model"),
    "layer": ("Conv2D", "Conv2d", 3, "Conv2d is not defined", "did you mean Conv2D"),
    "case": ("ReLU", "relu", 3, "relu is not defined", "did you mean ReLU"),
    "foreign": ("Dense", "Linear", 3, "Linear is not defined", "here that is Dense"),
    "own": ("model=net", "model=nett", 7, "nett is not defined", "did you mean net"),
    "import": (
        "import *",
        "import Conv2d",
        1,
        "tensorstone.models has no Conv2d",
        "did you mean Conv2D",
    ),
    "module": (
        "tensorstone.models",
        "tensorstone.model",
        1,
        "there is no module tensorstone.model here",
        "did you mean tensorstone.models",
    ),
    "attribute": (
        "import *\n",
        "import *; import tensorstone.models as m; m.Conv2d(3, 3)\n",
        1,
        "tensorstone.models has no Conv2d",
        "did you mean Conv2D",
    ),
    "framework": (
        "import *\n",
        "import *; import no_such_framework\n",
        1,
        "there is no module no_such_framework here",
        "a workload file may import tensorstone, NumPy and the standard library",
    ),
    "keyword": (
        "kernel=3",
        "kernal=3",
        3,
        "Conv2D has no argument kernal",
        "did you mean kernel? Conv2D takes channels, kernel, stride, padding, groups, bias, name",
    ),
    "far keyword": (
        "Dense(3)",
        "Dense(3, zzz=1)",
        3,
        "Dense has no argument zzz",
        "Dense takes units, bias, name",
    ),
    "missing": (
        "Conv2D(4, kernel=3)",
        "Conv2D(4)",
        3,
        "Conv2D missing 'kernel'",
        "Conv2D takes channels, kernel",
    ),
    "too many": (
        "ReLU()",
        "ReLU(1, 2)",
        3,
        "ReLU takes 1 positional argument but 3 were given",
        "ReLU takes name",
    ),
    "no title": ('    title="Mine",\n', "", 4, "Workload missing 'title'", "Workload takes name"),
    "recipe": ("epochs=1", "epoch=1", 7 + 1, "Recipe has no argument epoch", "did you mean epochs"),
    "value": ("Dense(3)", "Dense(0)", 3, "Dense: units is 0, below 1", "at least 1"),
    "shapes": (
        "kernel=3",
        "kernel=9",
        3,
        "conv1: kernel 9 is larger than its input 8×8",
        "make the kernel smaller",
    ),
    "flat": (
        "Flatten(), ",
        "",
        3,
        "fc1: Dense wants a flat input but gets 4×6×6",
        "put Flatten()",
    ),
    "loss": (
        "softmax-cross",
        "softmax_cross",
        8,
        "Recipe: unknown loss 'softmax_cross-entropy'",
        "did you mean softmax-cross-entropy",
    ),
    "brackets": (
        "ReLU()",
        "ReLU",
        3,
        "ReLU is a class, and a layer is wanted here",
        "write ReLU(…)",
    ),
    "raises": ("net =", "1 / 0\nnet =", 3, "the file raised ZeroDivisionError", "1 / 0"),
    "asserts": ("net =", "assert 0\nnet =", 3, "the file raised AssertionError", "assert 0"),
    "exits": ("net =", "exit(3)\nnet =", 3, "the file stops the program", "exit()"),
    "deep": (
        "net =",
        "def f(): f()\nf()\nnet =",
        3,
        "the file raised RecursionError",
        "def f(): f()",
    ),
}


@pytest.mark.parametrize("which", MISTAKES)
def test_a_mistake_is_named_with_its_line_and_a_suggestion(which: str, tmp_path: Path) -> None:
    old, new, line, message, hint = MISTAKES[which]
    assert old in GOOD
    path = written(tmp_path, GOOD.replace(old, new, 1))
    said, suggested = refused(path)
    assert said.startswith(f"{path}:{line}: {message}")
    assert hint in suggested


def test_an_error_inside_a_library_points_at_the_files_own_line(tmp_path: Path) -> None:
    path = written(tmp_path, "import json\njson.loads('{')\n" + GOOD)
    message, hint = refused(path)
    assert message.startswith(f"{path}:2: the file raised JSONDecodeError")
    assert hint == "correct the line: json.loads('{')"


def test_other_peoples_errors_are_not_taken_for_ours(tmp_path: Path) -> None:
    path = written(tmp_path, "def f(a): pass\nf(b=1)\n" + GOOD)
    assert refused(path)[0].startswith(f"{path}:2: the file raised TypeError: f() got an unexp")


@pytest.mark.parametrize("text", [b"\xff\xfe\x00bad", b"a = 1\x00\n", b"# coding: nonsense\n"])
def test_what_is_not_text(text: bytes, tmp_path: Path) -> None:
    path = written(tmp_path, text)
    message, hint = refused(path)
    assert message.startswith(path)
    assert hint


def test_none_several_or_something_else(tmp_path: Path) -> None:
    path = written(tmp_path, "")
    assert refused(path)[0] == f"{path} defines no workload"
    two = GOOD.replace("workload =", "one =") + "import dataclasses\n"
    path = written(tmp_path, two + "two = dataclasses.replace(one, name='two')\n")
    message, hint = refused(path)
    assert message == f"{path} defines 2 workloads: one, two"
    assert "`workload`" in hint
    path = written(tmp_path, GOOD + "workload = net\n")
    assert refused(path)[0] == f"{path}: workload is a Model, not a Workload"
    path = written(tmp_path, "from tensorstone.models import Workload as workload\n")
    assert refused(path)[0] == f"{path}: workload is the class Workload, not a Workload"


def test_a_changed_copy_of_the_catalogue_needs_its_own_name(tmp_path: Path) -> None:
    start = "from tensorstone.models.catalogue.lenet import workload\n"
    assert find(written(tmp_path, start)) == find("lenet")
    change = start + "import dataclasses\nworkload = dataclasses.replace(workload, title='Mine')\n"
    message, hint = refused(written(tmp_path, change))
    assert "called lenet, but differs from the catalogue's" in message
    assert "my-lenet" in hint


def test_an_interrupt_is_not_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        find(written(tmp_path, "raise KeyboardInterrupt\n"))
