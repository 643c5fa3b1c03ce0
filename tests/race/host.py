"""A host to be killed: races two programs and keeps what they say in a ledger.

Arguments: a folder (ledger, data, workdirs), and the mark its workers carry.
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from racing import MARK, NULL, PROGRAMS, QUICK

from tensorstone.ledger import Cell, Ledger, Recorder
from tensorstone.race.plan import Contestant, Plan
from tensorstone.race.rounds import race
from tensorstone.runtime.invocation import Invocation


def plan(folder: Path, mark: str) -> Plan:
    data, weights = folder / "data.npz", folder / "weights.npz"
    if not data.exists():
        np.savez(data, x=np.zeros((64, 8), np.float32), y=np.zeros(64, np.int64))
        np.savez(weights, w=np.ones(2, np.float32))
    invocation = Invocation(Path(sys.executable), {MARK: mark}, (), 1, folder)
    contestants = tuple(
        Contestant(name, program, NULL / "bridge.py", [], invocation, weights, data, 8)
        for name, program in (
            ("steady", PROGRAMS / "steady.py"),
            ("null", NULL / "program.py.jinja"),
        )
    )
    return Plan("test", contestants, replace(QUICK, block_s=0.1, budget_s=4.0, precision=1e-9))


def main(folder: Path, mark: str) -> None:
    made = plan(folder, mark)
    with Ledger(folder / "ledger.sqlite") as ledger:
        run = ledger.resume(made.digest(), enough_blocks=1)
        if run is None:
            run = ledger.begin("test", made.digest(), made.describe(), {})
        cells = {
            c.dialect: ledger.open_cell(run, Cell("test", c.dialect, c.dialect, "0", "idiomatic"))
            for c in made.contestants
        }
        finished = race(made, Recorder(ledger, cells), ledger.trials(run, "test"))
        ledger.finish(run, note=finished.why)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
