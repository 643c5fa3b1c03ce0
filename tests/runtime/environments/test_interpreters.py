"""Only an interpreter that ran is an interpreter."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tensorstone.runtime.environments import interpreters

OWN = "{}.{}".format(*sys.version_info[:2])


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    "text",
    [
        "echo 'command not found' >&2; exit 127",
        "echo",
        "echo PyPy 3.11.9 /somewhere",
        "printf '\\377\\376'",
    ],
)
def test_what_does_not_answer_as_cpython_is_skipped(tmp_path: Path, text: str) -> None:
    assert interpreters.probe(script(tmp_path / "python", text)) is None


def test_what_cannot_be_run_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "python").write_text("not a program")
    assert interpreters.probe(tmp_path / "python") is None
    assert interpreters.probe(tmp_path / "absent") is None


def test_a_failing_shim_on_path_gives_way_to_pyenv_s_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(tmp_path / "shims" / "python3.98", "exit 127")
    script(tmp_path / "versions/3.98.2/bin/python", "echo CPython 3.98.2 /real/python")
    script(tmp_path / "versions/3.98.10/bin/python", "echo CPython 3.98.10 /real/newer")
    monkeypatch.setenv("PATH", str(tmp_path / "shims"), prepend=":")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    assert interpreters.find("3.98") == interpreters.Interpreter(Path("/real/newer"), "3.98.10")


def test_a_program_that_lies_about_its_version_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(tmp_path / "python3.97", "echo CPython 3.96.1 /real/python")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with pytest.raises(interpreters.MissingInterpreter):
        interpreters.find("3.97")


def test_stone_s_own_interpreter_comes_first_and_is_named_by_its_base() -> None:
    found = interpreters.find(OWN)
    assert next(interpreters.candidates(OWN)) == Path(sys.executable)
    assert found.path == Path(sys._base_executable)
    assert found.version == "{}.{}.{}".format(*sys.version_info[:3])


def test_pyenv_is_advised_where_uv_is_not_at_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "versions").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    assert interpreters.MissingInterpreter("3.99").command == "pyenv install 3.99"
