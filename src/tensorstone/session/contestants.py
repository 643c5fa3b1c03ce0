"""From what was proven to contestants: as they are run, their programs and inputs as files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tensorstone.race.plan import Contestant
from tensorstone.results.subject import Subject
from tensorstone.session.inputs import Inputs
from tensorstone.session.proving import Proven


def contestants(
    proven: Sequence[Proven], inputs: Inputs, threads: int, folder: Path, memory_kept: bool = False
) -> tuple[Contestant, ...]:
    """Those of one workload whose own proof is ok, their programs in the folder."""
    found = []
    for number, one in enumerate(proven):
        entry = one.entry
        if not one.ok or one.proof is None or one.conditions is None or entry.program is None:
            continue
        path = folder / f"program{number}.py"
        path.write_text(entry.program.text, encoding="utf-8")
        subject = Subject(
            program=entry.program,
            proof=one.proof,
            conditions=entry.conditions(threads, memory_kept),
            weights_sha=inputs.weights_sha,
            data_sha=inputs.data_sha,
            batch=entry.workload.recipe.batch,
        )
        found.append(
            Contestant(
                dialect=entry.dialect.name,
                subject=subject,
                program=path,
                bridge=entry.framework.bridge,
                layers=entry.layers,
                invocation=entry.invocation(threads, folder, memory_kept),
                weights=inputs.weights,
                data=inputs.data,
            )
        )
    return tuple(found)
