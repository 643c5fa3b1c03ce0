"""The words that were replaced by the field's own occur nowhere that a person reads."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tensorstone.cli.app import COMMANDS, GROUPS

ROOT = Path(__file__).resolve().parents[1]

# The word that was used, and the one that is used now.
REPLACED = {
    r"sits?|sat|sittings?": "group run",
    r"seats?": "process run",
    r"slots?": "trial specification",
    r"life|lives": "deployment",
    r"habits?": "drift",
    r"outlook": "effort",
    r"levelling": "block equalisation",
    r"unkept": "allocator effect",
    r"syllabus": "training plan",
    r"lessons?|school": "training data",
    r"intentions?": "dry run",
    r"held_together": "judge outcomes",
    r"calm\w*": "rescaling",
    r"nudg\w*": "perturbation",
    r"kink\w*": "point where the gradient jumps",
    r"whisper\w*": "small gradients",
    r"undisturbed": "machine lock",
    r"strays?": "orphans",
    r"last words|last_words": "last output",
    r"private memory|private_bytes": "unique memory",
    r"others_busy": "background load",
}
OLD = re.compile("|".join(rf"\b(?:{word})\b" for word in REPLACED), re.IGNORECASE)
# Columns of earlier ledgers, which migrations must name.
EXEMPT = {ROOT / "src/tensorstone/ledger" / name for name in ("schema.py", "migrate.py")}


def read_by_people() -> list[Path]:
    """Sources, templates, documents."""
    listed = subprocess.run(
        ["git", "ls-files", "src", "docs", "examples", "*.md", "benchmarks"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    kinds = {".py", ".jinja", ".toml", ".md", ".ipynb"}
    files = [ROOT / name for name in listed if Path(name).suffix in kinds]
    return [file for file in files if file.exists() and file not in EXEMPT]


def old_words(text: str) -> list[str]:
    return [f"{number}: {line.strip()[:90]}" for number, line in lines(text) if OLD.search(line)]


def lines(text: str) -> list[tuple[int, str]]:
    return list(enumerate(text.splitlines(), 1))


def test_old_words_occur_in_no_source_template_or_document() -> None:
    found = {
        str(file.relative_to(ROOT)): words
        for file in read_by_people()
        if (words := old_words(file.read_text(encoding="utf-8")))
    }
    assert not found


def test_an_old_word_would_be_found() -> None:
    assert old_words("who is far behind sits once") and not old_words("a site, situated")


@pytest.mark.parametrize("command", [*COMMANDS, *GROUPS])
def test_old_words_occur_in_no_help(command: str) -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "tensorstone", command, "--help"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert shown and not old_words(shown)


def test_no_two_classes_have_one_name() -> None:
    """Within the host's package; the worker's own are read by other interpreters."""
    names = Counter(
        name
        for file in (ROOT / "src/tensorstone").rglob("*.py")
        for name in re.findall(r"^class (\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert [name for name, count in names.items() if count > 1] == []
