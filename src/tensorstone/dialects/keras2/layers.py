"""What the template needs: the network's layers, and the recipe's."""

from __future__ import annotations

from tensorstone.dialects.emit import SameProgram, Unsupported
from tensorstone.dialects.keras2 import recipe
from tensorstone.dialects.keras2.folding import Keras2Folding
from tensorstone.dialects.keras2.network import network
from tensorstone.dialects.keras2.recurrent import WRONG_ROLLED, Sequences
from tensorstone.dialects.keras2.writer import Keras2Writer
from tensorstone.dialects.registry import Dialect
from tensorstone.dialects.shared.unrolled import refuse_long
from tensorstone.models import layers as L
from tensorstone.models.placed import leaves
from tensorstone.models.workload import Workload

# On CNTK. Proofs took 38, 66 and 147 s for 64, 128 and 256 steps, beside other work; one of 1,024
# was not done after 26 minutes of processor time. Between the two nothing was tried.
MOST_UNROLLED = 512
TITLES = {"theano": "Theano", "cntk": "CNTK", "mxnet": "MXNet"}


def describe(workload: Workload, dialect: Dialect) -> dict[str, object]:
    """A list of layers where that is enough, else the functional API; and the recipe."""
    chain = workload.model.chain
    backend, _, rolled = dialect.short.partition("-")
    found = [leaf.layer for leaf in leaves(chain)]
    wrong, name = WRONG_ROLLED.get(backend, ((), ""))
    recurrent = [leaf for leaf in leaves(chain) if isinstance(leaf.layer, wrong)]
    if rolled and not recurrent:
        raise SameProgram(f"keras2/{backend}", f"the model has no {name}")
    unrolled = backend != "theano" and not rolled
    if backend == "mxnet" and recurrent and len(chain.outputs) == 2:
        raise Unsupported(
            "Keras on MXNet cannot train on every step of a sequence: behind a recurrent layer it "
            "takes the steps' losses for one a sample"
        )
    if backend == "cntk" and unrolled:
        refuse_long(recurrent, MOST_UNROLLED, "Keras on CNTK is right about LSTMs only unrolled")
    single = unrolled and any(leaf.inputs[0] == 1 for leaf in recurrent)
    stacked = unrolled and backend == "mxnet" and len(recurrent) > 1
    own = sorted({leaf.layer.kind for leaf in recurrent}) if single or stacked else []
    writer = Keras2Writer(backend, Sequences(backend, unrolled, tuple(own)))
    written = network(Keras2Folding(chain), writer)
    return {
        "backend": backend,
        "title": TITLES[backend],
        "rolled": bool(rolled),
        "network": written,
        "own_norm": backend == "mxnet" and any(isinstance(layer, L.BatchNorm) for layer in found),
        "own_recurrent": own,
        "single": single,
        "stacked": stacked,
        "uses_k": any("K." in line for line in written.lines),
        **recipe.describe(workload, backend),
    }
