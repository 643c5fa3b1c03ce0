"""A network whose weights are not the model's: is it a bias that is not there?"""

from __future__ import annotations

from tensorstone.models.described import weighted_layers
from tensorstone.models.workload import Workload
from tensorstone.proof.diagnosis import Diagnosis
from tensorstone.proof.program import Mismatch, Programs


def missing_bias(programs: Programs, source: str, workload: Workload) -> Diagnosis | None:
    """The layer without whose bias the program would fit the model."""
    layers = weighted_layers(workload.model)
    for place, layer in enumerate(layers):
        kept = [weight for weight in layer["weights"] if weight["role"] != "bias"]
        if kept == layer["weights"]:
            continue
        without = [*layers[:place], {**layer, "weights": kept}, *layers[place + 1 :]]
        try:
            programs.load(source, without).shapes()
        except Mismatch:
            continue
        return Diagnosis("missing-bias", layer["name"])
    return None
