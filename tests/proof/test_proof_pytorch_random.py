"""Two hundred random correct models in a real framework: not one false alarm."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from pytorch_trials import DIALECT, Prove
from strategies import workloads

from tensorstone.dialects.emit import supports
from tensorstone.dialects.registry import dialects
from tensorstone.models.workload import Workload

pytestmark = pytest.mark.frameworks

# Far from the tolerances, so that a rare model does not cross them.
CALM = 0.5


@settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # shrinking would run for minutes
)
@given(workload=workloads())
def test_random_correct_models_raise_no_alarm(workload: Workload, prove: Prove):
    assume(not supports(workload, dialects()[DIALECT]))
    proof = prove(workload)
    assert proof.ok, proof.reason
    numeric = [level for name, level in proof.levels.items() if name != "dropout"]
    assert max(level.ratio for level in numeric) < CALM
