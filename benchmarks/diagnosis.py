"""How well a diagnosis is right: `python benchmarks/diagnosis.py [N]`.

N random models (random_models.py) in PyTorch, each with one mistake drawn from those that its
program has room for. Counted: programs that were caught, descriptions that say what the mistake is,
catalogue names that say something else, and the time of the diagnosis alone, without the proof.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from random_models import random_workload

from tensorstone.dialects.emit import emit, supports
from tensorstone.dialects.registry import dialects, lookup
from tensorstone.models.workload import Workload
from tensorstone.proof.candidate import Candidate
from tensorstone.proof.diagnosis import Diagnosis
from tensorstone.proof.program import Precision, Programs
from tensorstone.proof.sources import Edit, write
from tensorstone.results.proof import Proof
from tensorstone.runtime.environments.install import ensure
from tensorstone.runtime.failure import Failure
from tensorstone.runtime.invocation import Invocation
from tensorstone.runtime.process import Worker

DIALECT = dialects()["pytorch/eager"]
FRAMEWORK = lookup("pytorch")
STEP, BACKWARD, LEARN = "        optimizer.step()\n", "loss.backward()", "def learner(net):\n"
GRADIENTS = "        for p in net.parameters():\n            p.grad = "


@dataclass(frozen=True)
class Mistake:
    """The first text that a program has is swapped; a right description matches the pattern."""

    name: str
    swaps: tuple[tuple[str, str], ...]
    says: str
    needs: str = ""  # what a program must have for this to be a mistake

    def edit(self, text: str) -> Edit | None:
        if not re.search(self.needs, text):
            return None
        for old, new in self.swaps:
            if (found := re.search(old, text)) and (put := found.expand(new)) != found[0]:
                there = found[0]
                return lambda source: source.replace(there, put)
        return None


def before_step(line: str) -> tuple[tuple[str, str], ...]:
    return ((STEP, line + STEP),)


MISTAKES = (
    Mistake("activation swapped", ((r"F\.relu\(", "nn.functional.elu("), (r"torch\.tanh\(", "nn.functional.softsign(")), "ELU|softsign"),
    Mistake("activation clipped", ((r"F\.relu\(", "nn.functional.relu6("),), r"min\(max\(x, 0\), 6\)|6"),
    Mistake("activation skipped", ((r"F\.relu\(", "("), (r"torch\.(tanh|sigmoid)\(", "(")), "left out|missing-activation|unchanged"),
    Mistake("loss doubled", ((r"loss\.backward\(\)", "(2 * loss).backward()"),), "twice"),
    Mistake("gradient halved", before_step(f"{GRADIENTS}p.grad / 2\n"), "half|0.5|÷ 2"),
    Mistake("gradient clipped", before_step(f"{GRADIENTS}p.grad.clamp(-0.001, 0.001)\n"), "clipped to ±0.001"),
    Mistake("gradient norm", before_step("        nn.utils.clip_grad_norm_(net.parameters(), 0.001)\n"), "norm of 0.001"),
    Mistake("gradient's sign", before_step(f"{GRADIENTS}p.grad.sign()\n"), "sign"),
    Mistake("noise", before_step(f"{GRADIENTS}p.grad + torch.randn_like(p.grad)\n"), "random"),
    Mistake("bfloat16 gradients", before_step(f"{GRADIENTS}p.grad.bfloat16().to(p.dtype)\n"), "bfloat16|digits"),
    Mistake("rate doubled", ((r"lr=([0-9.e-]+)", r"lr=2 * \1"),), "twice|× 2|learning rate"),
    Mistake("momentum other", ((r"momentum=0\.9", "momentum=0.8"),), r"momentum.*0\.8"),
    Mistake("epsilon", ((r"torch\.optim\.(Adam|RMSprop)\(net\.parameters\(\), lr=([0-9.e-]+)\)", r"torch.optim.\1(net.parameters(), lr=\2, eps=1e-3)"),), "epsilon.*0.001|epsilon.*1e-0?3"),
    Mistake("decay", ((r"net\.parameters\(\), lr=([0-9.e-]+)", r"net.parameters(), lr=\1, weight_decay=0.01"),), "decay"),
    Mistake("padding shifted", ((r"padding=1\)", 'padding=1, padding_mode="circular")'),), "circular|other side"),
    Mistake("batch norm's epsilon", ((r"BatchNorm(\d)d\((\d+)\)", r"BatchNorm\1d(\2, eps=0.05)"),), "epsilon 0.05"),
    Mistake("mean loss summed", ((r"nn\.(MSELoss|CrossEntropyLoss|BCEWithLogitsLoss|L1Loss)\(\)", r'nn.\1(reduction="sum")'),), "sum|times"),
    Mistake("first layer frozen", ((LEARN, LEARN + "    next(net.parameters()).requires_grad_(False)\n"),), "no gradient|not trained|stays"),
    Mistake("state forgotten", ((r"    net\.train\(\)\n", "    net.train()\n    optimizer.state.clear()\n"),), "state-forgotten", r"momentum|Adam\(|RMSprop\("),
    Mistake("batches reversed", ((r"in batches:", "in list(batches)[::-1]:"),), "batches-reversed"),
    Mistake("remainder kept", ((r"drop_last=True", "drop_last=False"),), "remainder-kept"),
    Mistake("axes swapped", ((r"def forward\(self, x\):\n", "def forward(self, x):\n        x = x.flip(-1)\n"),), "reverse|left and right|backwards|mirror|order"),
)  # fmt: skip


@dataclass(frozen=True)
class Timed(Candidate):
    """A candidate that tells how long its diagnosis took."""

    took: list[float] = field(default_factory=list)

    def _diagnosis(self, *given: Any) -> Diagnosis | None:
        began = time.monotonic()
        found = super()._diagnosis(*given)
        self.took.append(time.monotonic() - began)
        return found


def pairs(number: int) -> Iterator[tuple[Workload, Mistake, Edit]]:
    """Each workload with a mistake that its program has room for; the rarer ones come as often."""
    draw, found = random.Random(22), 0
    for seed in count():
        workload = random_workload(seed)
        if supports(workload, DIALECT):
            continue
        text = emit(workload, DIALECT)
        fitting = [(m, edit) for m in MISTAKES if (edit := m.edit(text))]
        if fitting:
            yield workload, *draw.choice(fitting)
            found += 1
        if found == number:
            return


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("number", type=int, nargs="?", default=300)
    number = parser.parse_args().number
    caught = described = wrong = run = 0
    took: list[float] = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        place = ensure(FRAMEWORK)

        @cache
        def programs(precision: Precision) -> Programs:
            own = folder / precision
            own.mkdir()
            variables = FRAMEWORK.variables(1, place.path)
            invocation = Invocation(place.python, variables, (), 1, own)
            worker = stack.enter_context(Worker(invocation))
            return Programs(worker, FRAMEWORK.bridge, 1, own, 300, precision)

        for workload, mistake, edit in pairs(number):
            proof, seconds = proven(workload, edit, programs)
            if proof is None:
                continue
            run += 1
            reason = proof.outcome.reason
            right = re.search(mistake.says, reason) is not None
            caught += not proof.ok
            described += not proof.ok and right
            wrong += bool(proof.diagnosis) and not right
            took += seconds
            verdict = "missed" if proof.ok else "described" if right else "caught"
            verdict = "wrong" if proof.diagnosis and not right else verdict
            print(f"{verdict:<10}{workload.name:<14}{mistake.name:<22}{reason[:160]}", flush=True)
    share = f"{caught} of {run} caught, {described} described rightly, {wrong} wrongly"
    print(f"{share}; a diagnosis takes {median(took):.2f} s (median)", end="")
    print(f", {quantiles(took, n=20)[-1]:.2f} s (95th percentile)")


def proven(workload: Workload, edit: Edit, programs: Any) -> tuple[Proof | None, list[float]]:
    """None where the program does not run with its mistake."""
    text = edit(emit(workload, DIALECT))
    sources = write(workload, DIALECT, text, edit)
    candidate = Timed(
        workload,
        DIALECT,
        FRAMEWORK,
        sources,
        programs("float32"),
        edit,
        doubled=lambda: nullcontext(programs("float64")),
    )
    try:
        return candidate.proof(), candidate.took
    except Failure as failure:
        if not failure.alive:
            raise
        print(f"not run   {workload.name:<14}{failure.outcome.reason[:120]}", file=sys.stderr)
        return None, []


if __name__ == "__main__":
    main()
