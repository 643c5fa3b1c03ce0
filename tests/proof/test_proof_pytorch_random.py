"""Two hundred random correct models in a real framework: not one false alarm."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from pytorch_trials import DIALECT, Prove
from strategies import recurrent_workloads, workloads

from tensorstone.dialects.emit import supports
from tensorstone.dialects.registry import dialects
from tensorstone.models.workload import Workload
from tensorstone.proof.tolerance import FLOOR

# The oracle is asked the same in test_proof_no_false_alarm.py, which takes seconds.
pytestmark = [pytest.mark.frameworks("pytorch"), pytest.mark.slow]

# Far from the tolerances, so that a rare model does not cross them. Where every float32 run of the
# oracle was right to the last digit (sums of equal signs), the tolerance is a floor and no measure
# of anything: there a program may come nearer.
FAR = 0.5


whole = settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # shrinking would run for minutes
)


@whole
@given(workload=workloads())
def test_random_correct_models_raise_no_alarm(workload: Workload, prove: Prove):
    _raises_no_alarm(workload, prove)


@settings(whole, max_examples=100)
@given(workload=recurrent_workloads())
def test_random_correct_models_over_sequences_raise_no_alarm(workload: Workload, prove: Prove):
    _raises_no_alarm(workload, prove)


def _raises_no_alarm(workload: Workload, prove: Prove) -> None:
    assume(not supports(workload, dialects()[DIALECT]))
    proof = prove(workload)
    assert proof.ok, proof.outcome.reason
    measured = {
        f"{name} {array}": error.ratio
        for name, level in proof.levels.items()
        for array, error in level.arrays.items()
        if name != "dropout" and (error.bound or 0) > 1.01 * FLOOR
    }
    assert {name: ratio for name, ratio in measured.items() if ratio >= FAR} == {}
