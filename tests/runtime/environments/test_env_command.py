"""`stone env`, as a person and as a program use it."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from tensorstone.cli.env import app
from tensorstone.dialects import registry
from tensorstone.dialects.registry import Framework, Need, Room
from tensorstone.runtime.environments.environment import home
from tensorstone.support.errors import StoneError


@pytest.fixture(autouse=True)
def only_the_tiny_room(
    room: Framework, without_python: Framework, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = replace(without_python, name="lost")
    rooms = {"tiny": Room([room], [replace(room, name="tiny@0.9")]), "lost": Room([lost], [])}
    monkeypatch.setattr(registry, "rooms", lambda: rooms)


def ask(*words: str, code: int = 0) -> list[dict[str, object]]:
    answer = CliRunner().invoke(app, [*words, "--json"])
    assert answer.exit_code == code, answer.output
    said = json.loads(answer.stdout)  # JSON alone: progress goes to standard error
    assert (said["schema"], said["command"]) == (1, f"env {words[0]}")
    environments: list[dict[str, object]] = said["environments"]
    return environments


def test_install_list_remove() -> None:
    assert [row["state"] for row in ask("list")] == ["not-installed", "missing-interpreter"]
    (installed,) = ask("install", "tiny")
    assert (installed["state"], installed["reason"]) == ("installed", "")
    (removed,) = ask("remove", "tiny")
    assert removed["state"] == "not-installed"
    assert removed["freed_bytes"] >= installed["size_bytes"] > 0


def test_totals_are_said(room: Framework) -> None:
    said = CliRunner().invoke(app, ["install", "tiny"]).stdout
    assert re.search(r"^1 of 1 installed, [\d.]+ [kM]?B on disk, after [\d.]+ s$", said, re.M), said
    said = CliRunner().invoke(app, ["list"]).stdout
    assert re.search(r"^1 of 2 installed, [\d.]+ [kM]?B on disk$", said, re.M), said
    os.link(next(home(room).rglob("*.py")), home(room).parent / "in-the-cache-too.py")
    said = CliRunner().invoke(app, ["remove", "tiny"]).stdout
    assert " given back in all\nuv's cache still holds " in said


def test_one_that_cannot_be_had_does_not_cost_the_others() -> None:
    rows = ask("install", "all", code=1)
    assert rows[0]["state"] == "installed"
    assert rows[1]["reason"] == "Python 3.99 is not on this machine"


def test_another_version_is_listed_once_it_is_there() -> None:
    assert [row["framework"] for row in ask("list")] == ["tiny", "lost"]
    ask("install", "tiny@0.9")
    assert [row["framework"] for row in ask("list")] == ["tiny", "lost", "tiny@0.9"]


def test_a_missing_system_package_is_said_before_anything_is_installed(
    room: Framework, monkeypatch: pytest.MonkeyPatch
) -> None:
    needy = replace(room, system=(Need("libnowhere.so.7", "libnowhere7"),))
    monkeypatch.setattr(registry, "rooms", lambda: {"tiny": Room([needy], [])})
    (row,) = ask("install", "tiny", code=1)
    assert row["state"] == "missing-package"
    assert row["reason"] == "Tiny needs libnowhere.so.7, not on this machine"
    assert str(row["next"]).endswith("apt-get install -y libnowhere7")


def test_an_unknown_name_is_a_mistake_with_a_suggestion() -> None:
    answer = CliRunner().invoke(app, ["install", "tinny"])
    assert isinstance(answer.exception, StoneError)
    assert answer.exception.hint == "did you mean tiny or tiny@0.9?"


def test_tables_and_help_are_for_people() -> None:
    assert "stone env install tiny" in CliRunner().invoke(app, ["list"]).stdout
    assert "not there" in CliRunner().invoke(app, ["remove", "all", "--yes"]).stdout
    for command in ("install", "list", "remove"):
        assert "Examples" in CliRunner().invoke(app, [command, "--help"]).stdout


def test_removing_all_is_refused_where_nobody_can_be_asked() -> None:
    ask("install", "tiny")
    answer = CliRunner().invoke(app, ["remove", "all"])
    assert isinstance(answer.exception, StoneError)
    assert answer.exception.hint == "add --yes"
    assert "1 environment" in answer.exception.message
    assert ask("list")[0]["state"] == "installed"


@pytest.mark.parametrize(("yes", "state"), [(False, "installed"), (True, "not-installed")])
def test_a_person_is_asked_before_all_are_removed(
    yes: bool, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask("install", "tiny")
    monkeypatch.setattr("tensorstone.cli.env._can_ask", lambda: True)
    monkeypatch.setattr("typer.confirm", lambda question, err: yes)
    CliRunner().invoke(app, ["remove", "all"])
    assert ask("list")[0]["state"] == state
