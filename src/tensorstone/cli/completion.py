"""What the shell offers when a name is begun and Tab is pressed."""

from __future__ import annotations


def workloads(incomplete: str) -> list[str]:
    from tensorstone.session import names

    return names.workloads(incomplete)


def data_sets(incomplete: str) -> list[str]:
    from tensorstone.session import names

    return names.data_sets(incomplete)


def dialects(incomplete: str) -> list[str]:
    from tensorstone.session import names

    return names.dialects(incomplete)
