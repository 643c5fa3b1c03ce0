"""Runs named by a person, read back: by number, by the beginning of their id, or `latest`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tensorstone.analysis.diff import Side, diff
from tensorstone.dialects.other_names import usual_name
from tensorstone.ledger import reading
from tensorstone.ledger.ledger import Ledger
from tensorstone.results.comparison import Assembled
from tensorstone.results.difference import Difference
from tensorstone.results.program import Program
from tensorstone.results.run import RunRecord, Summary
from tensorstone.session.assembled_cache import assembled
from tensorstone.support.errors import StoneError
from tensorstone.support.naming import did_you_mean

LATEST = "latest"
_ID = re.compile(r"[0-9a-f]{4,32}")
_SPAN = re.compile(r"(\d{1,18})(?:-|\.\.)(\d{1,18})")


def runs(ledger: Ledger, words: Sequence[str]) -> list[int]:
    """The numbers a person means; with no words, all runs of the latest command."""
    known = reading.numbers(ledger)
    if not known:
        raise StoneError(
            f"the ledger {ledger.path} has no runs yet",
            "make one: stone compare lenet",
        )
    if not words:
        newest = known[0][2]
        return sorted(number for number, _, series in known if series == newest)
    found = [number for word in words for number in _meant(word, known)]
    return list(dict.fromkeys(found))


def summaries(ledger: Ledger, limit: int | None = None) -> list[Summary]:
    """Every run in a line, the latest first."""
    return reading.summaries(ledger, limit)


def run(ledger: Ledger, word: str = LATEST) -> int:
    """Exactly one run."""
    (number,) = runs(ledger, [word])[:1]
    return number


def results(ledger: Ledger, words: Sequence[str] = ()) -> list[Assembled]:
    """What these runs came to."""
    return [assembled(ledger, number) for number in runs(ledger, words)]


def result(ledger: Ledger, word: str = LATEST) -> Assembled:
    return assembled(ledger, run(ledger, word))


def record(ledger: Ledger, word: str = LATEST) -> RunRecord:
    """Everything there is of a run."""
    return reading.record(ledger, run(ledger, word))


def difference(ledger: Ledger, old: str, new: str) -> Difference:
    """What differs between two runs of one workload, from the old one to the new one."""
    sides = [Side(record(ledger, word), result(ledger, word)) for word in (old, new)]
    one, other = (side.record.facts for side in sides)
    if one.number == other.number:
        raise StoneError(f"{old} and {new} are the same run", "name two runs: see stone runs")
    if one.command != other.command or one.workload.base != other.workload.base:
        raise StoneError(
            f"run {one.number} is {one.command} {one.workload.name}, "
            f"run {other.number} is {other.command} {other.workload.name}",
            "only runs of the same command on the same workload can be compared",
        )
    if one.command == "doctor":
        raise StoneError("runs of the doctor have no cells to compare", "see stone show")
    return diff(*sides)


def _meant(word: str, known: Sequence[tuple[int, str, str]]) -> list[int]:
    numbers = [number for number, _, _ in known]
    if word == LATEST:
        return numbers[:1]
    if word in map(str, numbers):
        return [int(word)]
    if span := _SPAN.fullmatch(word):
        first, last = int(span[1]), int(span[2])
        within = sorted(number for number in numbers if first <= number <= last)
        if within:
            return within
    if _ID.fullmatch(word):
        found = [number for number, uuid, _ in known if uuid.startswith(word)]
        if len(found) > 1:
            raise StoneError(
                f"{len(found)} runs have an id that begins with {word}", "give more of the id"
            )
        if found:
            return found
    raise StoneError(
        f"there is no run {word!r}",
        f"runs are {min(numbers)} to {max(numbers)}, `latest`, or the beginning of an id: "
        "see stone runs",
    )


def program(ledger: Ledger, words: Sequence[str], dialect: str) -> Program:
    """The text that was proven and run in this dialect."""
    there: dict[str, Program] = {}
    for number in runs(ledger, words):
        found = reading.record(ledger, number)
        for cell in found.cells:
            if cell.program_sha in found.programs:
                there[cell.dialect] = found.programs[cell.program_sha]
    named = dialect if dialect in there else usual_name(dialect)
    if named not in there:
        hint = did_you_mean(dialect, list(there)) if there else "no program is kept of it"
        raise StoneError(f"no program in {dialect!r} in these runs", hint)
    return there[named]
