"""tensorstone from Python: the same engine, ledger and words as the command line.

    import tensorstone as stone

    result = stone.compare("lenet", dialects=["pytorch/eager", "jax/flax"], budget="60s")
    print(result)            # the tables that the command prints
    result.frame()           # a polars frame: a row for each cell and metric
    result.plot()            # an altair chart with intervals

A workload is a name of the catalogue, the path of a file, or a `Workload` made here (everything to
make one is in `tensorstone.models`). Everything is kept in the ledger, as the commands keep it:
`stone.runs()` lists it, and any run can be shown again. A mistake raises `StoneError`, whose
`message` says what is wrong and whose `hint` says what to do.
"""

from tensorstone.api.calls import compare, prove, runs, show, train, translate
from tensorstone.api.result import ProgramText, Result, Runs
from tensorstone.models.workload import Workload
from tensorstone.support.errors import StoneError, WorkloadWarning

__all__ = [
    "ProgramText",
    "Result",
    "Runs",
    "StoneError",
    "Workload",
    "WorkloadWarning",
    "compare",
    "prove",
    "runs",
    "show",
    "train",
    "translate",
]
