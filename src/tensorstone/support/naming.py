"""Names as people type them: in any case, with `_` for `-`, misspelt, or by another name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

MOST, CLOSE = 3, 0.6  # suggestions, and how alike a name must be to be one
FEW = 8  # names that a message may list instead of saying where the list is


def folded(word: str) -> str:
    """What spellings of one name have in common."""
    return word.strip().casefold().replace("_", "-")


def same_name(word: str, known: Iterable[str]) -> str | None:
    """The known name that is this word but for its case and hyphens."""
    return next((name for name in known if folded(name) == folded(word)), None)


def did_you_mean(word: str, known: Sequence[str], otherwise: str = "") -> str:
    """At most three names that are near. Without any: `otherwise`, which says where all of them
    stand, or the names themselves where they are few."""
    if near := nearest(word, known):
        return f"did you mean {' or '.join(near)}?"
    if otherwise and len(known) > FEW:
        return otherwise
    return "there are: " + ", ".join(known)


def nearest(word: str, known: Sequence[str]) -> list[str]:
    """Names that are spelt alike, then names that hold the word or begin what the word begins."""
    import difflib

    by_folded = {folded(name): name for name in known}
    wanted = folded(word)
    found = difflib.get_close_matches(wanted, list(by_folded), n=MOST, cutoff=CLOSE)
    holding = [name for name in by_folded if len(wanted) > 1 and wanted in name]
    return [by_folded[name] for name in dict.fromkeys([*found, *holding])][:MOST]
