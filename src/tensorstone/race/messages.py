"""What a race says to a person: notes while it runs, why it ended, and why a trial failed.

Each is one line, shown behind the run's or the dialect's name.
"""

from __future__ import annotations

from tensorstone.support.durations import duration

# While a race runs.


def background_load(busy: float, processors: int) -> str:
    return (
        f"other processes use {busy:.1f} of {processors} processors; "
        "to see which, run: stone doctor"
    )


def left_out(count: int, times: float) -> str:
    return (
        f"the budget has no time for two rounds of every contestant: {count} "
        f"contestant{'s' * (count > 1)}, over {times:g} times slower than the fastest, "
        "will run in one round only"
    )


def budget_overrun(rounds: int, beyond_s: float, budget_s: float) -> str:
    return (
        f"at least {rounds} rounds are run; they will take about {duration(beyond_s)} more "
        f"than the budget of {duration(budget_s)}"
    )


def precision_too_fine(precision: float, needed_s: float, budget_s: float) -> str:
    return (
        f"a precision of ±{precision:.1%} would take about {duration(needed_s)} on this machine; "
        f"the budget is {duration(budget_s)}: raise the budget to reach it"
    )


def few_warmup_steps(steps: int) -> str:
    return f"only {steps} warm-up steps, because its steps are slow"


# Why a race ended.

ALL_FAILED = "all contestants failed"


def too_few_rounds(budget_s: float, rounds: int, round_s: float) -> str:
    return (
        f"the budget of {duration(budget_s)} allows {rounds} rounds only, and a round takes about "
        f"{duration(round_s)}: raise the budget"
    )


def precision_reached(precision: float, rounds: int) -> str:
    return f"precision ±{precision:.1%} reached after {rounds} rounds"


def ranks_open(budget_s: float, rounds: int, precision: float) -> str:
    return (
        f"{_spent(budget_s, rounds)}: precision ±{precision:.1%} reached, but some ranks are "
        "still open"
    )


def budget_spent(budget_s: float, rounds: int, precision: float | None, wanted: float) -> str:
    reached = f"precision ±{precision:.1%}" if precision is not None else "no interval"
    missed = f", wanted ±{wanted:.1%}" if wanted else ""
    return f"{_spent(budget_s, rounds)}: {reached}{missed}"


def _spent(budget_s: float, rounds: int) -> str:
    return f"the budget of {duration(budget_s)} is spent after {rounds} rounds"


# Why a trial failed.


def another_program(file: str) -> str:
    return f"{file} is not the program that was proven"


def trial_too_slow(do: str, limit_s: float) -> str:
    return f"{do}: the trial exceeded its time limit of {duration(limit_s)}"


def diverged(what: str, number: float) -> str:
    return f"{what} is {number}: training diverged"


def loss_of(epoch: int) -> str:
    return f"epoch {epoch}: loss"


def metric_of(epoch: int) -> str:
    return f"epoch {epoch}: the metric"
