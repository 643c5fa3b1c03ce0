"""The programs a proof needs, with or without a mistake written into them."""

from __future__ import annotations

from tensorstone.dialects.emit import emit
from tensorstone.dialects.registry import Dialect
from tensorstone.models.workload import Workload
from tensorstone.proof.sources import Edit, Sources, write


def sources_of(workload: Workload, dialect: Dialect, edit: Edit | None = None) -> Sources:
    """The program as the dialect emits it, rewritten by the edit, and what is emitted beside it."""
    text = emit(workload, dialect)
    return write(workload, dialect, edit(text) if edit else text, edit)
