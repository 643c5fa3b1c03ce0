"""What went wrong, as the host is told it."""

import traceback

LINES = 24  # of traceback, the last ones: where it happened

# How frameworks say it without raising MemoryError.
_OUT_OF_MEMORY = (
    "resource_exhausted",
    "resource exhausted",
    "out of memory",
    "can't allocate memory",
    "bad_alloc",
    "failed to allocate",
)


class Refused(Exception):
    """A request that makes no sense: the host's fault."""


class NoDouble(Exception):
    """The framework cannot compute in float64; the message says why."""


def describe(error):
    """The `error` object of an answer."""
    lines = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    try:
        message = str(error)
    except Exception:
        message = "(its message cannot be read)"
    return {
        "kind": _kind(error, message),
        "type": type(error).__name__,
        "message": message[:2000],
        "traceback": "\n".join(lines.splitlines()[-LINES:]),
    }


def _kind(error, message):
    if isinstance(error, Refused):
        return "protocol"
    if isinstance(error, MemoryError) or any(s in message.lower() for s in _OUT_OF_MEMORY):
        return "memory"
    return "exception"
