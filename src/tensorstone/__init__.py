"""A model is written once, said in every framework's own idiom, proven equal, and then timed.

    import tensorstone as stone

`tensorstone.api` is all of it, documented; its names are here too, and loaded when they are used:
the command line starts without them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorstone.support.version import VERSION as __version__

if TYPE_CHECKING:
    from tensorstone.api import (
        ProgramText,
        Result,
        Runs,
        StoneError,
        Workload,
        WorkloadWarning,
        compare,
        prove,
        runs,
        show,
        train,
        translate,
    )

__all__ = [
    "ProgramText",
    "Result",
    "Runs",
    "StoneError",
    "Workload",
    "WorkloadWarning",
    "__version__",
    "compare",
    "prove",
    "runs",
    "show",
    "train",
    "translate",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from tensorstone import api

    return getattr(api, name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
