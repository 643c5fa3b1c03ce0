"""From a person's words, typed or passed in Python, to requests; every mistake is said at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tensorstone.dialects.registry import Dialect, select
from tensorstone.models.load import find
from tensorstone.models.workload import Workload
from tensorstone.session.comparing import CompareRequest, race_settings
from tensorstone.session.prove import ProveRequest
from tensorstone.session.training import TrainRequest
from tensorstone.support.durations import seconds, share
from tensorstone.support.errors import StoneError

Named = str | Workload
ALLOCATORS = ("default", "kept")
DATA_KINDS = ("real", "synthetic")


def workloads(named: Named | Iterable[Named]) -> list[Workload]:
    """Names, paths of files, or workloads themselves."""
    several = [named] if isinstance(named, str | Workload) else list(named)
    return [find(one) if isinstance(one, str) else one for one in several]


def dialects(
    named: str | Iterable[str] = (), lane: str | None = None, everything: bool = False
) -> list[Dialect]:
    """Dialects or whole frameworks; all of them; or the default four."""
    several = named.replace(",", " ").split() if isinstance(named, str) else list(named)
    return select(several, lane, everything)


def compare_request(
    named: Named | Iterable[Named],
    chosen: Sequence[Dialect],
    budget: str = "5m",
    precision: str = "2%",
    batches: Sequence[int] = (),
    threads: Sequence[int] = (),
    allocator: str = "",
    feed_workers: int = 0,
    timeout: str = "10m",
    words: tuple[str, ...] = (),
) -> CompareRequest:
    if allocator and allocator not in ALLOCATORS:
        raise StoneError(f"there is no allocator called {allocator!r}", "ask for default or kept")
    patience, kept = seconds(timeout), allocator == "kept" if allocator else None
    settings = race_settings(chosen, seconds(budget), share(precision), kept, feed_workers)
    request = CompareRequest(workloads(named), chosen, settings, batches, threads, patience, words)
    request.variants()  # threads and names that cannot be are said now
    return request


def prove_request(
    named: Named | Iterable[Named],
    chosen: Sequence[Dialect],
    threads: int = 0,
    timeout: str = "10m",
    words: tuple[str, ...] = (),
) -> ProveRequest:
    return ProveRequest(workloads(named), chosen, threads, seconds(timeout), words)


def train_request(
    named: Named | Iterable[Named],
    chosen: Sequence[Dialect],
    epochs: int = 0,
    seeds: int = 1,
    threads: int = 0,
    data: str = "real",
    timeout: str = "1h",
    words: tuple[str, ...] = (),
) -> TrainRequest:
    if data not in DATA_KINDS:
        raise StoneError(f"there is no kind of data called {data!r}", "ask for real or synthetic")
    return TrainRequest(
        workloads(named),
        chosen,
        epochs,
        seeds,
        threads,
        data,  # type: ignore[arg-type]
        seconds(timeout),
        words,
    )
