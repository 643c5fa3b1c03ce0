"""The doctor's look at the machine, kept as a run like any other."""

from __future__ import annotations

from tensorstone.ledger.ledger import Ledger
from tensorstone.results.comparison import Examination
from tensorstone.results.run import WorkloadFacts
from tensorstone.results.settings import DoctorSettings
from tensorstone.session import noise
from tensorstone.session.doctor import examine, watching
from tensorstone.session.entries import processors
from tensorstone.session.running import Series, running
from tensorstone.session.terminal import looks
from tensorstone.session.watch import Watch
from tensorstone.support.machine_lock import machine_lock

MACHINE = WorkloadFacts("machine", "This machine")


def doctor(quick: bool, ledger: Ledger, watch: Watch, words: tuple[str, ...] = ()) -> Examination:
    """Look at everything; unless it must be quick, measure the noise floor too."""
    series = Series(ledger, "doctor", words)
    threads = len(processors())
    with looks("watching this machine", watching.LOOKS) as tick:
        watched = watching.watch(tick)
    found = noise.known(threads)
    if not quick:
        label = "measuring this machine's noise"
        with machine_lock(), watch.race(label, noise.SETTINGS.budget_s) as watcher:
            found = noise.measure(threads, watcher)
    findings = tuple(examine(series.machine, found, watched))
    floor = found.floor if found else None
    facts = series.facts(MACHINE, DoctorSettings(quick), threads, floor, series.began)
    with running(ledger, facts, ()) as run:
        ledger.keep_findings(run.number, findings, found)
    shown = run.assembled()
    assert isinstance(shown, Examination)
    watch.done(shown)
    return shown
