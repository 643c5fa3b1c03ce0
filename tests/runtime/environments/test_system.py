"""What a framework needs of the machine: found where it is, missed where it is not."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tensorstone.dialects.registry import Framework, Need
from tensorstone.runtime.environments import system
from tensorstone.runtime.environments.environment import fingerprint
from tensorstone.runtime.environments.install import ensure
from tensorstone.support.errors import StoneError

LIBRARY, PROGRAM, HEADER = "libc.so.6", "sh", "include/stdio.h"


def needing(room: Framework, *needs: str) -> Framework:
    return replace(room, system=tuple(Need(need, f"package-of-{need}") for need in needs))


def test_libraries_programs_and_headers_are_found_by_name(room: Framework) -> None:
    there = [LIBRARY, PROGRAM] + [HEADER] * bool(shutil.which("g++"))
    asked = needing(room, *there, "libnowhere.so.7", "no-such-program", "include/nowhere.h")
    missed = [need.needs for need in system.missing(asked)]
    assert missed == ["libnowhere.so.7", "no-such-program", "include/nowhere.h"]


def test_what_is_missing_is_named_with_the_command_that_gets_it(room: Framework) -> None:
    with pytest.raises(system.MissingSystemPackages) as missing:
        system.check(needing(room, "b.so.1", "a.so.1"))
    assert "apt-get install -y package-of-a.so.1 package-of-b.so.1" in missing.value.hint
    assert "stone env install --system tiny" in missing.value.hint


def test_nothing_is_installed_where_nothing_is_missing(room: Framework) -> None:
    system.install([needing(room, LIBRARY)])  # a package of that name could not be had


def test_who_may_not_install_is_told_what_to_ask_for(
    room: Framework, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # no apt-get here
    with pytest.raises(StoneError) as refused:
        system.install([needing(room, "libnowhere.so.7")])
    assert "package-of-libnowhere.so.7" in refused.value.hint


def test_shims_and_modules_are_put_in_the_environment_alone(room: Framework) -> None:
    module = room.site_packages / "old_module.py"
    module.parent.mkdir()
    module.write_text("answer = 42\n")
    furnished = replace(room, shims={"libold.so.1": LIBRARY})
    assert fingerprint(furnished) != fingerprint(replace(room, shims={"libold.so.2": LIBRARY}))
    made = ensure(furnished)
    shim = made.path / "shims" / "libold.so.1"
    assert shim.is_symlink()
    assert shim.resolve() == system.library(LIBRARY).resolve()  # type: ignore[union-attr]
    code = "import old_module; raise SystemExit(old_module.answer)"
    assert os.waitstatus_to_exitcode(os.system(f"{made.python} -c '{code}'")) == 42
    before = fingerprint(furnished)
    module.write_text("answer = 43\n")
    assert fingerprint(furnished) != before
