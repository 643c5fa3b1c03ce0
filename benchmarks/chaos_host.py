"""A host to be killed, for chaos.py: races three programs and keeps what they say in a ledger.

Arguments: a folder, the mark its workers carry, and the trouble one of the programs makes.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from racers import harness_contestant, null_program

from tensorstone.ledger import Ledger, Recorder, reading
from tensorstone.race.plan import Plan
from tensorstone.race.rounds import race
from tensorstone.results.run import CellRecord, WorkloadFacts
from tensorstone.results.settings import RaceSettings
from tensorstone.runtime.invocation import Invocation
from tensorstone.session.running import Series

MARK = "STONE_CHAOS_MARK"
STEADY = """\
    import time

    TROUBLE
    for _ in batches:
        time.sleep(0.001)
    return [0.0 for _ in batches]
"""
TROUBLES = {
    "none": "pass",
    "leaks": "learner.setdefault('held', []).append(bytearray(2**25))",
    "forks": "__import__('subprocess').Popen(['sleep', '600'], start_new_session=True)",
    "dies": "__import__('random').random() < 0.05 and __import__('os').abort()",
}
TURNS = 3
SETTINGS = RaceSettings(
    budget_s=3.0,
    precision=1e-9,
    block_s=0.02,
    turns=TURNS,
    warmup_steps=2,
    trial_timeout_s=8.0,
    memory_limit=400 * 2**20,
)


def main(folder: Path, mark: str, trouble: str) -> None:
    data, weights = folder / "data.npz", folder / "weights.npz"
    if not data.exists():
        np.savez(weights, w=np.ones(2, np.float32))
        np.savez(data, x=np.zeros((64, 8), np.float32), y=np.zeros(64, np.int64))
    invocation = Invocation(Path(sys.executable), {MARK: mark}, (), 1, folder)
    contestants = []
    for name in ("one", "two", trouble):
        program = folder / f"{name}.py"
        said = STEADY.replace("TROUBLE", TROUBLES.get(name, "pass"))
        program.write_text(null_program(said), encoding="utf-8")
        contestants.append(harness_contestant(name, program, invocation, weights, data, 8))
    plan = Plan("chaos", tuple(contestants), SETTINGS)
    with Ledger(folder / "ledger.sqlite") as ledger:
        run = ledger.resume(plan.digest(), enough_blocks=TURNS - 1)
        if run is None:
            facts = Series(ledger, "compare").facts(
                WorkloadFacts("chaos", "Chaos"), SETTINGS, 1, None
            )
            run = ledger.begin(facts, plan.digest())
        cells = {
            name: ledger.open_cell(run, "chaos", CellRecord(name, name, "0", "idiomatic"))
            for name in (c.dialect for c in contestants)
        }
        earlier = reading.record_to_resume(ledger, run).trials
        ledger.finish(run, note=race(plan, Recorder(ledger, cells), earlier).why)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
