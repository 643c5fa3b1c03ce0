"""What tests need, read from their marks and parameters."""

from __future__ import annotations

import pytest

from tensorstone.dialects.registry import DEFAULT_CONTESTANTS, dialects, frameworks, versions

# Their compilers work for longer than all the rest of a test.
COMPILED = frozenset({"pytorch/compile", "pytorch/compile-nchw", "tensorflow/xla"})
DEFAULT = frozenset(dialects()[name].framework for name in DEFAULT_CONTESTANTS)


def needed(item: pytest.Item) -> frozenset[str]:
    """The frameworks that a test's `frameworks` marks name, and those of the dialects among its
    parameters. None where it has no such mark."""
    marks = list(item.iter_markers("frameworks"))
    named = {name for mark in marks for name in mark.args}
    if unknown := named - {*frameworks(), *versions()}:
        raise pytest.UsageError(f"{item.nodeid}: there is no framework {', '.join(unknown)}")
    return frozenset(named | _of_parameters(item)) if marks else frozenset()


def _of_parameters(item: pytest.Item) -> set[str]:
    known = {name: name for name in frameworks()}
    known |= {name: dialect.framework for name, dialect in dialects().items()}
    return {known[word] for word in _words(item) if word in known}


def _words(item: pytest.Item) -> set[str]:
    callspec = getattr(item, "callspec", None)
    values = callspec.params.values() if callspec else ()
    return {value for value in values if isinstance(value, str)}


def mark(items: list[pytest.Item]) -> None:
    """`every_framework` on each test that needs more than the default four, `slow` on each that
    waits for a compiler."""
    for item in items:
        frameworks_needed = needed(item)
        if frameworks_needed - DEFAULT:
            item.add_marker(pytest.mark.every_framework)
        if frameworks_needed and _words(item) & COMPILED:
            item.add_marker(pytest.mark.slow)
