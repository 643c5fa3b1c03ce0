"""A host to be killed: races two programs and keeps what they say in a ledger.

Arguments: a folder (ledger, data, workdirs), and the mark its workers carry.
"""

import sys
from pathlib import Path

import numpy as np
from msgspec.structs import replace
from racing import MARK, NULL, PROGRAMS, QUICK, contestant_of

from tensorstone.ledger import Ledger, Recorder, reading
from tensorstone.race.plan import Plan
from tensorstone.race.rounds import race
from tensorstone.results.run import CellRecord, WorkloadFacts
from tensorstone.runtime.invocation import Invocation
from tensorstone.session.running import Series

# Enough to be killed between the first and the last.
TURNS = 5


def plan(folder: Path, mark: str) -> Plan:
    data, weights = folder / "data.npz", folder / "weights.npz"
    if not data.exists():
        np.savez(data, x=np.zeros((64, 8), np.float32), y=np.zeros(64, np.int64))
        np.savez(weights, w=np.ones(2, np.float32))
    invocation = Invocation(Path(sys.executable), {MARK: mark}, (), 1, folder)
    contestants = tuple(
        contestant_of(name, program, invocation, weights, data)
        for name, program in (
            ("steady", PROGRAMS / "steady.py"),
            ("null", NULL / "program.py.jinja"),
        )
    )
    return Plan(
        "test", contestants, replace(QUICK, turns=TURNS, block_s=0.04, budget_s=2.5, precision=1e-9)
    )


def main(folder: Path, mark: str) -> None:
    made = plan(folder, mark)
    with Ledger(folder / "ledger.sqlite") as ledger:
        run = ledger.resume(made.digest(), enough_blocks=1)
        if run is None:
            series = Series(ledger, "compare")
            facts = series.facts(WorkloadFacts("test", "Test"), made.settings, 1, None)
            run = ledger.begin(facts, made.digest())
        cells = {
            name: ledger.open_cell(run, "test", CellRecord(name, name, "0", "idiomatic"))
            for name in (contestant.dialect for contestant in made.contestants)
        }
        earlier = reading.record_to_resume(ledger, run).trials
        finished = race(made, Recorder(ledger, cells), earlier)
        ledger.finish(run, note=finished.why)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
