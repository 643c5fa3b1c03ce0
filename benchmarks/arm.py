"""One program on its own, as pyperf and hyperfine run it: `python arm.py [STEPS]`.

With a number it trains so many steps and ends, for hyperfine; without, pyperf asks for as many as
it wants, in its own fresh processes. The variable STONE_ARM says which program, data and batch.
"""

import importlib.util
import json
import os
import sys
from itertools import chain, islice, repeat
from time import perf_counter

import numpy as np


def trainer():
    """A function that trains so many steps and says how long they took."""
    arm = json.loads(os.environ["STONE_ARM"])
    spec = importlib.util.spec_from_file_location("program", arm["program"])
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    held = np.load(arm["data"])
    x, y = held["x"], held["y"]
    learner = program.learner(program.network())

    def train(steps):
        passes = (program.batches(x, y, arm["batch"]) for _ in repeat(None))
        start = perf_counter()
        program.train(learner, islice(chain.from_iterable(passes), steps))
        return perf_counter() - start

    return train


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1].isdigit():
        trainer()(int(sys.argv[1]))
    else:
        import pyperf

        runner = pyperf.Runner()
        # Only a worker needs the framework; the process that starts workers does not.
        is_worker = runner.parse_args().worker
        runner.bench_time_func("step", trainer() if is_worker else print)
