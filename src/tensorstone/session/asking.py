"""From a person's words, typed or passed in Python, to requests; every mistake is said at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tensorstone.dialects.registry import Dialect, select
from tensorstone.models.advice import advice
from tensorstone.models.load import Found, checked, read
from tensorstone.models.workload import Workload
from tensorstone.support.durations import seconds, share
from tensorstone.support.errors import StoneError, cut

if TYPE_CHECKING:  # who only names a workload needs neither NumPy nor the proofs
    from tensorstone.session.comparing import CompareRequest
    from tensorstone.session.prove import ProveRequest
    from tensorstone.session.training import TrainRequest

Named = str | Path | Workload
Time = str | float  # "90s", "5m", or seconds
Tell = Callable[[str, str], None]  # is told what stands in a workload, and what to do
ALLOCATORS = ("default", "kept")
DATA_KINDS = ("real", "synthetic")
# Far more than anyone waits for; each seed has a file of weights.
MOST = {"seeds": 1000, "feed_workers": 256}
MOST_OF_ANYTHING = 1_000_000


def workloads(
    named: Named | Iterable[Named], tell: Tell = lambda message, hint: None
) -> list[Workload]:
    """Names, paths of files, or workloads themselves. `tell` hears what in them is nearly always a
    mistake."""
    several = [named] if isinstance(named, Named) else _list(named)
    wrong = [one for one in several if not isinstance(one, Named)]
    if wrong or not several:
        raise StoneError(
            f"{wrong[0]!r} is not a workload" if wrong else "no workload is named",
            "give a name (`lenet`), the path of a file, or a Workload",
        )
    found = [_found(one) for one in several]
    warnings = [w for one in found for w in advice(one.workload, one.file, one.source)]
    for warning in dict.fromkeys(warnings):
        tell(warning.message, warning.hint)
    return [one.workload for one in found]


def _found(named: Named) -> Found:
    return Found(checked(named)) if isinstance(named, Workload) else read(str(named))


def dialects(
    named: str | Iterable[str] = (), lane: str | None = None, everything: bool = False
) -> list[Dialect]:
    """Dialects or whole frameworks; all of them; or the default four."""
    several = named.replace(",", " ").split() if isinstance(named, str) else _list(named)
    wrong = [one for one in several if not isinstance(one, str)]
    if wrong:
        raise StoneError(f"{wrong[0]!r} is not a dialect", "give names, such as pytorch/eager")
    return select(several, lane, everything)


def _list(given: object) -> list[Any]:
    return list(given) if isinstance(given, Iterable) else [given]


def _time(given: Time) -> float:
    """In seconds."""
    if isinstance(given, str):
        return seconds(given)
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given < inf:
        raise StoneError(f"{given!r} is not a duration", "give seconds, or write 90s, 5m or 1h30m")
    return float(given)


def _whole(key: str, given: int, least: int) -> int:
    most = MOST.get(key, MOST_OF_ANYTHING)
    if isinstance(given, bool) or not isinstance(given, int) or not least <= given <= most:
        hint = f"give {key} a whole number from {least:,} to {most:,}"
        raise StoneError(f"{key} cannot be {cut(repr(given))}", hint)
    return given


def compare_request(
    named: Named | Iterable[Named],
    chosen: Sequence[Dialect],
    budget: Time = "5m",
    precision: str | float = "2%",
    batches: Sequence[int] = (),
    threads: Sequence[int] = (),
    allocator: str = "",
    feed_workers: int = 0,
    timeout: Time = "10m",
    words: tuple[str, ...] = (),
) -> CompareRequest:
    from tensorstone.session.comparing import CompareRequest, race_settings

    if allocator and allocator not in ALLOCATORS:
        raise StoneError(f"there is no allocator called {allocator!r}", "use default or kept")
    kept = allocator == "kept" if allocator else None
    workers = _whole("feed_workers", feed_workers, 0)
    settings = race_settings(chosen, _time(budget), share(str(precision)), kept, workers)
    request = CompareRequest(
        workloads(named), chosen, settings, batches, threads, _time(timeout), words
    )
    request.variants()  # threads and names that cannot be are said now
    return request


def prove_request(
    named: Named | Iterable[Named],
    chosen: Sequence[Dialect],
    threads: int = 0,
    timeout: Time = "10m",
    words: tuple[str, ...] = (),
) -> ProveRequest:
    from tensorstone.session.prove import ProveRequest

    count = _whole("threads", threads, 0)
    return ProveRequest(workloads(named), chosen, count, _time(timeout), words)


def train_request(
    named: Named | Iterable[Named],
    chosen: Sequence[Dialect],
    epochs: int = 0,
    seeds: int = 1,
    threads: int = 0,
    data: str = "real",
    batches: Sequence[int] = (),
    timeout: Time = "1h",
    words: tuple[str, ...] = (),
) -> TrainRequest:
    from tensorstone.session.training import TrainRequest

    if data not in DATA_KINDS:
        raise StoneError(f"there is no kind of data called {data!r}", "use real or synthetic")
    request = TrainRequest(
        workloads(named),
        chosen,
        _whole("epochs", epochs, 0),
        _whole("seeds", seeds, 1),
        _whole("threads", threads, 0),
        data,  # type: ignore[arg-type]
        batches,
        _time(timeout),
        words,
    )
    request.variants()  # threads, batches and names that cannot be are said now
    return request
