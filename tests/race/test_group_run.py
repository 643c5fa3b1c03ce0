"""Groups of real processes: who is idle is stopped, and everyone has their turn."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace as replaced
from itertools import count

import psutil
import pytest
from msgspec.structs import replace
from racing import PROGRAMS, QUICK, Make, marked, rewritten

from tensorstone.analysis.summary import metrics
from tensorstone.race import group_run
from tensorstone.race.group_run import (
    FEWEST_TURNS,
    FIRST_TURNS,
    Group,
    first_turns,
    run_group,
)
from tensorstone.race.plan import Contestant
from tensorstone.race.process_run import USUAL_FROM, Assignment
from tensorstone.results.events import SilentObserver
from tensorstone.results.trial import Block, Trial
from tensorstone.runtime.gauges import background, energy, gpu
from tensorstone.runtime.gauges.background import ProcessorReading

SETTINGS = replace(QUICK, turns=6)
RANDOM = random.Random(1)
BUSY = "sum(range(100_000))\n        "
LONG_ENOUGH = 200  # such steps: it is looked at dozens of times meanwhile


def together(*contestants: Contestant, turns: int | None = 6) -> Group:
    members = tuple((who, Assignment(1, place, 60.0)) for place, who in enumerate(contestants))
    return Group(members, indispensable=1, turns=turns)


class Witness(SilentObserver):
    """Looks at every process that carries the mark, each time a block has ended."""

    def __init__(self, mark: str) -> None:
        self._mark = mark
        self.awake: list[list[str]] = []
        self.order: list[tuple[str, int]] = []

    def block(self, trial: Trial, index: int, block: Block) -> None:
        self.order.append((trial.dialect, index))
        self.awake.append(
            [
                process.cwd().rpartition("/")[2]
                for process in marked(self._mark)
                if _is_worker(process) and process.status() != psutil.STATUS_STOPPED
            ]
        )


def _is_worker(process: psutil.Process) -> bool:
    """Not a keeper: they sleep, and must be there to clear up."""
    parent = process.parent()
    return parent is not None and "stone_worker" in " ".join(parent.cmdline())


def test_only_one_is_awake_at_a_time(make: Make, mark: str) -> None:
    witness = Witness(mark)
    trials = run_group(together(make("steady"), make("null"), make("forks")), SETTINGS, witness)
    assert [trial.outcome.status for trial in trials] == ["ok"] * 3
    for (name, _), awake in zip(witness.order, witness.awake, strict=True):
        assert set(awake) == {name}


def test_everyone_has_every_turn_in_an_order_of_its_own(make: Make, mark: str) -> None:
    witness = Witness(mark)
    trials = run_group(together(make("steady"), make("null"), make("complete")), SETTINGS, witness)
    assert [len(trial.blocks) for trial in trials] == [6, 6, 6]
    turns = [tuple(name for name, index in witness.order if index == turn) for turn in range(6)]
    assert all(sorted(names) == ["complete", "null", "steady"] for names in turns)
    assert len(set(turns)) > 1
    assert [index for _, index in witness.order] == sorted(index for _, index in witness.order)


def test_who_dies_between_turns_takes_nobody_along(make: Make, mark: str) -> None:
    class Murderer(Witness):
        def block(self, trial: Trial, index: int, block: Block) -> None:
            super().block(trial, index, block)
            if (trial.dialect, index) == ("steady", 2):
                for process in marked(self._mark):
                    if _is_worker(process) and process.cwd().endswith("null"):
                        process.kill()

        def trial_failed(self, trial: Trial) -> None:
            self.spent_s = trial.wall_s
            self.order.append((trial.outcome.status, len(trial.blocks)))

    murderer = Murderer(mark)
    steady, null = run_group(together(make("steady"), make("null")), SETTINGS, murderer)
    assert steady.outcome.ok and len(steady.blocks) == 6
    assert (null.outcome.status, null.outcome.reason) == ("crashed", "SIGKILL during block")
    assert 2 <= len(null.blocks) <= 3
    assert murderer.spent_s == null.wall_s, "whole, should the run be killed now"
    failed = murderer.order.index(("crashed", len(null.blocks)))
    assert failed < murderer.order.index(("steady", 4)), "it is said at once, not at the end"


def test_nothing_known_a_few_turns_are_taken(make: Make) -> None:
    (trial,) = run_group(together(make("steady"), turns=None), SETTINGS, SilentObserver())
    assert FEWEST_TURNS <= len(trial.blocks) <= FIRST_TURNS


@pytest.mark.parametrize(
    ("start_s", "turn_s", "turns"),
    [(3.0, 0.002, FIRST_TURNS), (3.0, 0.1, 30), (3.0, 0.5, 6), (3.0, 60.0, FEWEST_TURNS)],
)
def test_of_slow_steps_no_more_turns_than_take_as_long_as_starting(
    start_s: float, turn_s: float, turns: int
) -> None:
    assert first_turns(start_s, turn_s) == turns


def test_without_memory_for_more_the_others_wait(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_run.memory, "available", lambda: 0)
    contestants = [make(name, invocation=make(name).invocation) for name in ("steady", "complete")]
    waiting = together(*contestants, make("null"))
    limited = replace(SETTINGS, memory_limit=2**30)
    started = {trial.dialect for trial in run_group(waiting, limited, SilentObserver())}
    assert len(started) == 2 and "steady" in started


def test_nobody_is_always_started_first(make: Make) -> None:
    contestants = [make(name) for name in ("steady", "null", "complete")]
    orders = []
    for round in range(2, 6):
        members = tuple(
            (who, Assignment(round, place, 60.0, steps=1)) for place, who in enumerate(contestants)
        )
        RANDOM.shuffle(contestants)
        trials = run_group(Group(members, indispensable=1, turns=1), SETTINGS, SilentObserver())
        assert [trial.dialect for trial in trials] == [who.dialect for who, _ in members]
        orders.append([t.dialect for t in sorted(trials, key=lambda trial: trial.place)])
    assert orders[0::2] == [order[::-1] for order in orders[1::2]]
    assert {order[0] for order in orders} == {"steady", "null", "complete"}


@pytest.mark.parametrize(("hit", "turns"), [([1], 6), ([4], 7), ([3, 6], 8), (range(100), 9)])
def test_disturbed_turns_are_kept_and_repeated(
    make: Make, monkeypatch: pytest.MonkeyPatch, hit: Sequence[int], turns: int
) -> None:
    """Half as many again as there should be, at most. The first show what is usual."""
    blocks = iter(range(USUAL_FROM, 1000))
    machine = ProcessorReading(at=0.0, processors=2, idle_s=0.0, stolen_s=0.0, host_s=0.0)
    monkeypatch.setattr(background, "reading", lambda: machine)
    monkeypatch.setattr(background, "load", lambda *_: 1.5)
    monkeypatch.setattr(background, "disturbed", lambda *_: next(blocks) in hit)
    (trial,) = run_group(together(make("steady")), SETTINGS, SilentObserver())
    assert [t for t, block in enumerate(trial.blocks) if block.disturbed] == [
        t for t in hit if USUAL_FROM <= t < turns
    ]
    assert len(trial.blocks) == turns
    assert all(block.background_load == 1.5 for block in trial.blocks)
    assert trial.background_load == 1.5


def test_when_time_is_up_there_were_the_fewest_turns(make: Make) -> None:
    hurried = replaced(together(make("steady"), turns=2 * FEWEST_TURNS), at_most_s=0.0)
    (trial,) = run_group(hurried, SETTINGS, SilentObserver())
    assert trial.outcome.ok and len(trial.blocks) == FEWEST_TURNS


def test_what_is_only_seen_by_looking_closely(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a program that is always busy, with one thread."""
    monkeypatch.setattr(gpu, "memory", lambda pids: 1000 * len(list(pids)))
    complete = make("complete")
    source = complete.program.read_text(encoding="utf-8")
    busy = rewritten(
        complete,
        complete.invocation.workdir / "busy.py",
        source.replace("losses.append", BUSY + "losses.append"),
    )
    members = ((busy, Assignment(1, 0, 60.0, steps=LONG_ENOUGH, deploy=True)),)
    (trial,) = run_group(Group(members, 1, 2), SETTINGS, SilentObserver())
    assert trial.unique_bytes is not None and 2**20 < trial.unique_bytes < 2**30
    assert trial.peak_rss_bytes is not None and trial.unique_bytes < trial.peak_rss_bytes
    assert trial.running_threads is not None and 1 <= trial.running_threads <= 2
    assert trial.gpu_bytes == 1000
    said = metrics([trial], batch=8)
    assert said["running_threads"].value == trial.running_threads
    assert said["gpu_bytes"].value == 1000


def test_energy_is_that_of_the_steps_that_count(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = count(0, 6_000_000)  # microjoules: six joules from reading to reading
    monkeypatch.setattr(
        energy,
        "reading",
        lambda: energy.EnergyReading({"package": next(used)}, {"package": 10**12}),
    )
    assignment = Assignment(1, 0, 60.0, steps=5)
    (trial,) = run_group(Group(((make("steady"), assignment),), 1, 3), SETTINGS, SilentObserver())
    assert [block.energy_j for block in trial.blocks] == [pytest.approx(5.0)] * 3, "1 J settled"
    assert metrics([trial], batch=8)["step_energy_j"].value == pytest.approx(1.0)


def test_what_is_usual_for_a_contestant_disturbs_nobody(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Threads that sleep and wake look like others' load, in every block."""
    machine = ProcessorReading(at=0.0, processors=2, idle_s=0.0, stolen_s=0.0, host_s=0.0)
    while_all_are_stopped = 0.0
    seen = iter([while_all_are_stopped, 0.5, 0.6, 0.4, 0.5, 1.9, 0.5, 0.6])
    monkeypatch.setattr(background, "reading", lambda: machine)
    monkeypatch.setattr(background, "load", lambda *_: next(seen))
    monkeypatch.setattr(background, "ROUNDING_S", 0.0)
    (trial,) = run_group(together(make("steady")), SETTINGS, SilentObserver())
    assert [turn for turn, block in enumerate(trial.blocks) if block.disturbed] == [4]


@pytest.mark.parametrize("steps", [1, 2, 7])
def test_a_turn_begins_with_a_step_that_does_not_count(make: Make, steps: int) -> None:
    """However few the others are: who settles and who does not cannot be compared."""
    tally = make("tally")
    run_group(
        Group(((tally, Assignment(1, 0, 60.0, steps=steps)),), 1, 4), SETTINGS, SilentObserver()
    )
    calls = (tally.invocation.workdir / "tally").read_text(encoding="ascii").split()
    assert calls[-8:] == ["1", str(steps)] * 4


def test_a_call_that_costs_much_besides_its_steps_has_longer_blocks(make: Make) -> None:
    """Four milliseconds a call and one a step: of four hundred steps they are a hundredth."""
    source = (PROGRAMS / "tally.py").read_text(encoding="utf-8")
    tally = make("tally")
    text = source.replace("sleep(", "sleep(0.004 + ")
    dear = rewritten(tally, tally.invocation.workdir / "dear.py", text)
    settings = replace(SETTINGS, block_s=0.05)
    steps = {}
    for who in (tally, dear):
        (trial,) = run_group(together(who, turns=2), settings, SilentObserver())
        steps[who.program] = trial.blocks[0].steps
    assert steps[dear.program] > 3 * steps[tally.program]
