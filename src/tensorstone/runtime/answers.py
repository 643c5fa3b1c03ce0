"""What a worker may say: every line is checked here, field by field, before anything uses it."""

from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from msgspec import Meta, Struct

from tensorstone.results.codec import Damaged, checked
from tensorstone.runtime import messages

LARGEST = 2**62  # the ledger's whole numbers have 64 bits
Seconds = Annotated[float, Meta(ge=0, le=1e9)]
# A difference of two sums of floats: equal ones may be a rounding apart.
Difference = Annotated[float, Meta(ge=-1e-6, le=1e9)]
Whole = Annotated[int, Meta(ge=0, le=LARGEST)]
Some = Annotated[int, Meta(ge=1, le=LARGEST)]


class Hello(Struct, frozen=True):
    """The first line."""

    hello: int
    pid: Some
    python: str
    cpus: tuple[Whole, ...]


class Gone(Struct, frozen=True):
    """The keeper's last line: how the worker ended."""

    signal: Annotated[int, Meta(ge=0, le=1024)] | None = None
    code: Annotated[int, Meta(ge=-LARGEST, le=LARGEST)] | None = None


class Said(Struct, frozen=True):
    """An exception, as the worker tells it."""

    kind: str
    type: str = ""
    message: str = ""
    traceback: str = ""


class Loaded(TypedDict):
    import_s: Seconds
    version: str
    changed: NotRequired[str]  # what the bridge did for float64, or why it could not
    absent: NotRequired[str]


class Built(TypedDict):
    build_s: Seconds


class TrainedAnswer(TypedDict):
    losses: list[float]  # no number where training diverged
    feed_s: Seconds
    wall_s: Seconds


class EpochAnswer(TrainedAnswer):
    steps: Some


class Walled(TypedDict):
    wall_s: Seconds


class Fed(TypedDict):
    steps: Some
    bytes: Whole


class BlockAnswer(TypedDict):
    steps: Some
    wall_s: Annotated[float, Meta(gt=0, le=1e9)]
    cpu_s: Difference
    system_s: Difference | None
    minor_faults: Whole
    major_faults: Whole
    voluntary: Whole
    involuntary: Whole
    instructions: Whole | None


class Iterated(TypedDict):
    absent: NotRequired[str]
    batches: NotRequired[Whole]
    walls_s: NotRequired[list[Seconds]]
    slices: NotRequired[Whole]
    slice_walls_s: NotRequired[list[Seconds]]


class Called(TypedDict):
    first_s: Seconds
    calls_s: list[Seconds]


class Saved(Walled):
    bytes: Whole


class Nothing(TypedDict):
    pass


ANSWERS: dict[str, Any] = {
    "load": Loaded,
    "new": Built,
    "learner": Built,
    "train": TrainedAnswer,
    "epoch": EpochAnswer,
    "predict": Walled,
    "evaluate": Walled,
    "read": Nothing,
    "feed": Fed,
    "block": BlockAnswer,
    "iterate": Iterated,
    "calls": Called,
    "save": Saved,
    "restore": Walled,
    "quit": Nothing,
}


def answer(do: str, said: Any) -> dict[str, Any]:
    """The answer to a request, with the fields it must have; `Damaged` where it is none."""
    found: dict[str, Any] = checked(ANSWERS.get(do, Nothing), said)
    if do == "iterate" and "absent" not in found and len(found) < 4:
        raise Damaged(messages.NEITHER_ABSENT_NOR_MEASURED)
    return found
