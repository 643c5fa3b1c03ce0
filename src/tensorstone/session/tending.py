"""The ledger as a person tends it: another machine's runs merged, runs forgotten."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tensorstone.ledger import merge as merging
from tensorstone.ledger import reading
from tensorstone.ledger.forget import forget as forget_runs
from tensorstone.ledger.ledger import Ledger
from tensorstone.results.run import Summary
from tensorstone.session import assembled_cache
from tensorstone.session.reading import runs

Merged = merging.Merged


def merge(ledger: Ledger, path: Path) -> Merged:
    """All runs of another ledger that are not here yet."""
    return merging.merge(ledger, path)


def chosen(ledger: Ledger, words: Sequence[str]) -> list[Summary]:
    """The runs a person means, in a line each."""
    wanted = set(runs(ledger, words))
    return [one for one in reading.summaries(ledger) if one.facts.number in wanted]


def forget(ledger: Ledger, found: Sequence[Summary]) -> None:
    """Remove these runs, and what is kept of them elsewhere."""
    forget_runs(ledger, [one.facts.number for one in found])
    for one in found:
        assembled_cache.drop(one.facts.uuid)
