"""Real programs that misbehave: the right word for each, and never anybody else's loss."""

from __future__ import annotations

from dataclasses import replace as replaced

import pytest
from msgspec.structs import replace
from racing import QUICK, Make, alone, marked, prepare, wait_for

from tensorstone.analysis.summary import metrics, outcome
from tensorstone.race.plan import Contestant, Plan
from tensorstone.race.process_run import Assignment
from tensorstone.race.rounds import race
from tensorstone.results.events import SilentObserver
from tensorstone.results.outcome import Outcome
from tensorstone.results.settings import RaceSettings
from tensorstone.results.trial import Racer
from tensorstone.runtime.failure import Failure
from tensorstone.runtime.process import Worker


def ending(contestant: Contestant, settings: RaceSettings = QUICK) -> Outcome:
    timeout_s = settings.trial_timeout_s or 60.0
    return alone(contestant, Assignment(1, 0, timeout_s), settings).outcome


@pytest.mark.parametrize(
    ("program", "status", "reason"),
    [
        ("segfault", "crashed", "SIGSEGV during train"),
        ("abort", "crashed", "SIGABRT during train"),
        ("group_kill", "crashed", "SIGKILL during train"),
        ("scribble", "failed", "protocol: train was answered with 'rubbish'"),
        ("forge", "failed", """protocol: train was answered with "{'ok': {'wall_s': 1.0}}\""""),
        ("refused_memory", "out-of-memory", "train: MemoryError"),
        ("raises", "failed", "train: ValueError: shapes (3, 4) and (5, 6) do not match"),
        ("silent", "failed", "train: exited with code 0, no answer given"),
        ("exits", "failed", "train: SystemExit: 0"),
        ("absent", "not-installed", "No module named 'no_such_framework'"),
        ("steady", "ok", ""),
        ("null", "ok", ""),
        ("chatter", "ok", ""),
        ("litter", "ok", ""),
        ("forks", "ok", ""),
    ],
)
def test_every_ending_has_its_word(make: Make, program: str, status: str, reason: str) -> None:
    ended = ending(make(program))
    assert (ended.status, ended.reason) == (status, reason)


@pytest.mark.parametrize("program", ["hang", "hang_native"])
def test_a_hanging_program_is_timed_out(make: Make, program: str) -> None:
    contestant = make(program)
    with Worker(contestant.invocation) as worker:
        prepare(worker, contestant)
        with pytest.raises(Failure) as caught:
            worker.request("train", 0.5, data=str(contestant.data), batch=8)
    ended = caught.value.outcome
    assert (ended.status, ended.reason) == ("timed-out", "train took longer than 0.5 s")


def test_a_trial_ends_when_its_time_is_up(make: Make) -> None:
    ended = ending(make("hang"), replace(QUICK, trial_timeout_s=2.0))
    assert ended.status == "timed-out"
    assert ended.reason.endswith(": the trial exceeded its time limit of 2 s")


def test_a_greedy_program_is_stopped_at_the_limit(make: Make) -> None:
    ended = ending(make("greedy"), replace(QUICK, memory_limit=300 * 2**20))
    assert ended.status == "out-of-memory"
    assert "more than 300 MiB" in ended.reason


def test_last_words_are_kept(make: Make) -> None:
    assert "assertion failed: shapes differ" in ending(make("abort")).last_output
    crash = ending(make("segfault")).last_output
    assert "segfault.py" in crash and "in train" in crash
    assert 'raise ValueError("shapes' in ending(make("raises")).last_output


def test_a_missing_interpreter_is_not_installed(make: Make) -> None:
    contestant = make("steady")
    invocation = replaced(contestant.invocation, python=contestant.data / "no" / "python")
    ended = ending(replaced(contestant, invocation=invocation))
    assert ended.status == "not-installed"
    assert "cannot start" in ended.reason


def test_an_interpreter_that_is_none_fails(make: Make, tmp_path) -> None:
    fake = tmp_path / "python"
    fake.write_text("#!/bin/sh\necho I am no interpreter\nexit 3\n", encoding="utf-8")
    fake.chmod(0o755)
    contestant = make("steady")
    ended = ending(replaced(contestant, invocation=replaced(contestant.invocation, python=fake)))
    assert ended.status == "crashed"
    assert ended.last_output == "I am no interpreter"


def test_a_race_with_bad_contestants_completes_for_the_good(make: Make) -> None:
    names = ["segfault", "steady", "silent", "scribble", "null", "raises", "litter"]
    plan = Plan("test", tuple(make(name) for name in names), QUICK)
    finished = race(plan, SilentObserver())
    assert finished.rounds >= 2
    for name in names:
        mine = [t for t in finished.trials if t.racer == Racer(name)]
        good = name in ("steady", "null", "litter")
        assert len({t.round for t in mine}) == (finished.rounds if good else 2)
        assert outcome(mine).ok is good
        assert ("step_s" in metrics(mine, batch=8)) is good


def test_one_success_and_one_crash_is_crashed_with_what_was_measured(make: Make) -> None:
    plan = Plan("test", (make("flaky"), make("steady")), replace(QUICK, budget_s=0.0))
    mine = [t for t in race(plan, SilentObserver()).trials if t.racer == Racer("flaky")]
    assert [t.outcome.status for t in mine] == ["ok", "crashed"]
    assert outcome(mine).status == "crashed"
    assert outcome(mine).reason == "SIGABRT during train (in 1 of 2 trials)"
    assert metrics(mine, batch=8)["step_s"].n == 1


def test_closing_kills_the_whole_tree(make: Make, mark: str) -> None:
    contestant = make("litter")
    with Worker(contestant.invocation) as worker:
        prepare(worker, contestant)
        worker.request("train", 60, data=str(contestant.data), batch=8)
        assert wait_for(lambda: len(marked(mark)) >= 5)  # keeper, worker and three leftovers
        assert worker.cpu_s() > 0.0
        assert worker.peak_rss() > 10 * 2**20
    assert marked(mark) == []
