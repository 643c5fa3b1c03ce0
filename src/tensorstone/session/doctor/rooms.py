"""The frameworks: installed, to be had, or impossible here."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from tensorstone.dialects.registry import Framework, frameworks
from tensorstone.results.run import Finding
from tensorstone.runtime.environments import environment, interpreters


def findings() -> Iterator[Finding]:
    for framework in frameworks().values():
        if framework.python:
            yield _framework(framework)
    yield _compiler()


def _framework(framework: Framework) -> Finding:
    if found := environment.find(framework):
        return Finding(framework.title, "good", f"{found.version} on Python {found.python_version}")
    try:
        interpreters.find(framework.python)
    except interpreters.MissingInterpreter as missing:
        return Finding(framework.title, "bad", missing.message, missing.hint)
    return Finding(
        framework.title, "good", "not installed yet", f"stone env install {framework.name}"
    )


def _compiler() -> Finding:
    if shutil.which("g++"):
        return Finding("C++ compiler", "good", "g++ is there, for pytorch/compile")
    return Finding(
        "C++ compiler",
        "bad",
        "no g++: pytorch/compile cannot run",
        "install it: apt-get install g++, or your system's own way",
    )
