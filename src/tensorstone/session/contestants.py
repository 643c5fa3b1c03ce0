"""From what was proven to contestants: as they are run, their programs and inputs as files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tensorstone.race.plan import Contestant
from tensorstone.results.subject import Subject
from tensorstone.session.input_files import Inputs
from tensorstone.session.proving import Proven


def contestants(
    proven: Sequence[Proven],
    inputs: Inputs,
    threads: int,
    folder: Path,
    memory_kept: bool = False,
    with_system_allocator: Sequence[Proven] = (),
) -> tuple[Contestant, ...]:
    """Those of one workload whose own proof is ok, their programs in the folder. The last are the
    same entries proven with the system's allocator, where freed memory is kept in the race."""
    beside = {one.entry.dialect.name: one for one in with_system_allocator}
    found = []
    for number, one in enumerate(proven):
        path = folder / f"program{number}.py"
        made = _contestant(one, inputs, threads, path, memory_kept)
        if made is not None:
            plain = beside.get(made.dialect)
            control = _contestant(plain, inputs, threads, path, False) if plain else None
            found.append(replace(made, system_allocator=control))
    return tuple(found)


def _contestant(
    one: Proven, inputs: Inputs, threads: int, path: Path, memory_kept: bool
) -> Contestant | None:
    entry = one.entry
    if not one.ok or one.proof is None or entry.program is None:
        return None
    subject = Subject(
        program=entry.program,
        proof=one.proof,
        conditions=entry.conditions(threads, memory_kept),
        weights_sha=inputs.weights_sha,
        data_sha=inputs.data_sha,
        batch=entry.workload.recipe.batch,
    )
    path.write_text(entry.program.text, encoding="utf-8")
    return Contestant(
        dialect=entry.dialect.name,
        subject=subject,
        program=path,
        bridge=entry.framework.bridge,
        layers=entry.layers,
        invocation=entry.invocation(threads, path.parent, memory_kept),
        weights=inputs.weights,
        data=inputs.data,
    )
