"""How often a correct program is accused: `python benchmarks/false_alarms.py N [--dialects …]`.

Random models (random_models.py), in each dialect N that it can say, are emitted, run and proven;
one worker serves many. The programs are what the rooms write, so every accusation is either false
or a defect of a framework: each is printed with the seed that makes it again.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from random_models import random_workload

from tensorstone.dialects.emit import emit, supports
from tensorstone.dialects.registry import Dialect, lookup, select
from tensorstone.models.workload import Workload
from tensorstone.proof.candidate import Candidate
from tensorstone.proof.program import Precision, Programs
from tensorstone.proof.sources import write
from tensorstone.results.proof import Proof
from tensorstone.runtime.environments.install import ensure
from tensorstone.runtime.failure import Failure
from tensorstone.runtime.invocation import Invocation
from tensorstone.runtime.process import Worker

DIALECTS = (
    "pytorch/eager",
    "jax/flax",
    "tensorflow/keras",
    "mxnet/gluon",
    "oneflow/eager",
    "paddle/dygraph",
    "tensorflow1/graph",
)
TIMEOUT_S = 300.0
MOST_SERVED = 40  # models a worker serves: frameworks keep what they compiled
MOST_REFUSED = 50  # one after another that a dialect cannot say
ROW = "{:<20}{:>8}{:>16}{:>12}{:>9}{:>9}{:>13}{:>7}"


@dataclass
class Workers:
    """A dialect's two workers, the one of float64 made when it is first asked for."""

    dialect: Dialect
    _stack: ExitStack = field(default_factory=ExitStack)
    _open: dict[Precision, Programs] = field(default_factory=dict)
    _served: int = 0

    def prove(self, workload: Workload) -> Proof:
        self._served += 1
        if self._served > MOST_SERVED:
            self.close()
        candidate = Candidate(
            workload,
            self.dialect,
            lookup(self.dialect.framework),
            write(workload, self.dialect, emit(workload, self.dialect)),
            self._programs("float32"),
            doubled=self._doubled,
        )
        try:
            return candidate.proof()
        except Failure as failure:
            self.close()
            return Proof(failure.outcome)

    def close(self) -> None:
        self._stack.close()
        self._open, self._served = {}, 0

    @contextmanager
    def _doubled(self) -> Iterator[Programs]:
        yield self._programs("float64")

    def _programs(self, precision: Precision) -> Programs:
        if precision not in self._open:
            framework = lookup(self.dialect.framework)
            place = ensure(framework)
            folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory()))
            env = framework.variables(1, place.path)
            worker = Worker(Invocation(place.python, env, (), 1, folder))
            made = self._stack.enter_context(worker)
            self._open[precision] = Programs(
                made, framework.bridge, 1, folder, TIMEOUT_S, precision
            )
        return self._open[precision]


@dataclass
class Count:
    """What became of a dialect's models."""

    models: int = 0
    unsaid: int = 0
    asked: int = 0  # float64, because a number was past its bound in float32
    accused: int = 0
    failed: int = 0  # ended without a verdict: a crash, a timeout

    def __add__(self, other: Count) -> Count:
        return Count(*(a + b for a, b in zip(self.row, other.row, strict=True)))

    @property
    def row(self) -> tuple[int, ...]:
        return self.models, self.unsaid, self.asked, self.accused, self.failed

    @property
    def most(self) -> str:
        """The share of correct programs accused that 95 of 100 such counts stay below."""
        if self.accused or not self.models:
            return "—"
        return f"{3 / self.models:.2%}"  # the rule of three: nothing seen in n


def main() -> None:
    options = asked()
    print(
        ROW.format(
            "dialect", "models", "cannot be said", "float64", "accused", "failed", "at most", "s"
        ),
        flush=True,
    )
    total, began = Count(), time.monotonic()
    for dialect in options.dialects:
        start = time.monotonic()
        found = counted(dialect, options.models, options.seed)
        show(dialect.name, found, start)
        total += found
    show("all", total, began)
    sys.exit(bool(total.accused or total.failed))


def asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("models", nargs="?", type=int, default=10, help="in each dialect")
    parser.add_argument("--dialects", default=",".join(DIALECTS))
    parser.add_argument("--seed", type=int, default=0, help="of the first model")
    options = parser.parse_args()
    options.dialects = select(options.dialects.split(","))
    return options


def counted(dialect: Dialect, models: int, seed: int) -> Count:
    """So many models that the dialect can say, from this seed on."""
    found, workers, refused = Count(), Workers(dialect), 0
    try:
        for number in count(seed):
            if found.models + found.failed == models or refused == MOST_REFUSED:
                break
            workload = random_workload(number)
            if supports(workload, dialect):
                found, refused = found + Count(unsaid=1), refused + 1
                continue
            refused = 0
            proof = workers.prove(workload)
            found += judged(proof)
            if said := accusation(proof) if not proof.ok else acquittal(proof):
                print(f"  {dialect.name} --seed {number}: {said}", flush=True)
    finally:
        workers.close()
    return found


def judged(proof: Proof) -> Count:
    asked = int(proof.double is not None)
    if proof.outcome.status not in ("ok", "unequal"):
        return Count(failed=1)
    return Count(models=1, asked=asked, accused=int(not proof.ok))


def accusation(proof: Proof) -> str:
    double = proof.double
    if double is None:
        return f"{proof.outcome.status}: {proof.outcome.reason}"
    said = double.absent or f"{double.worst} is off by {double.error}, {double.tolerance} allowed"
    return f"{proof.outcome.reason} (float64: {said})"


def acquittal(proof: Proof) -> str:
    """What float32 alone would have accused; empty where it would not."""
    if proof.double is None:
        return ""
    level, name, ratio = max(
        (
            (level, name, error.ratio)
            for level, one in proof.levels.items()
            for name, error in one.arrays.items()
        ),
        key=lambda found: found[2],
    )
    return f"ok by float64; in float32 {level} {name} is at {ratio:.1f} times its bound"


def show(name: str, found: Count, began: float) -> None:
    print(ROW.format(name, *found.row, found.most, f"{time.monotonic() - began:.0f}"), flush=True)


if __name__ == "__main__":
    main()
