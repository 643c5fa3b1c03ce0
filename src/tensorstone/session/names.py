"""The names that a command line may be completed with."""

from __future__ import annotations


def workloads(begun: str) -> list[str]:
    """Workloads of the catalogue. Where none begins so, the shell offers files."""
    from tensorstone.models.load import names

    return [name for name in names() if name.startswith(begun)]


def data_sets(begun: str) -> list[str]:
    """Real data sets, those that are generated too."""
    from tensorstone.data.real import GENERATED, PREPARED

    return [name for name in (*PREPARED, *GENERATED) if name.startswith(begun)]


def dialects(begun: str) -> list[str]:
    """Dialects and frameworks, the last of several with commas between."""
    from tensorstone.dialects import registry

    before, comma, last = begun.rpartition(",")
    known = dict.fromkeys([*registry.dialects(), *registry.frameworks()])
    return [before + comma + name for name in known if name.startswith(last)]
