"""Instructions that this process retired, counted by the processor itself (Linux perf events).

They hardly change from run to run, so they tell a program that does less from one that was lucky.
The counter is opened before any framework is imported, because only what starts later inherits it:
every thread of the worker, and any process it forks. A reading adds up all of them, those alive
too (the kernel visits each thread's counter). The kernel's own work is in it where this user may
see that, else it is user code alone: `possible()` says which.

Virtual machines seldom have such counters, containers seldom let them be opened. Then there is no
counter, `possible()` says why, and a block pays one comparison for it.
"""

import contextlib
import os
import struct
import sys

HARDWARE, SOFTWARE = 0, 1  # kinds of event
INSTRUCTIONS, PAGE_FAULTS = 1, 2  # one of each kind; the second only proves the reading in tests

# The oldest layout that the kernel knows (PERF_ATTR_SIZE_VER0): type, size, config, period,
# sample type, read format, flags, wake-up, breakpoint type, breakpoint address.
_ATTRIBUTES = struct.Struct("=IIQQQQQIIQ")
_INHERIT, _NO_KERNEL, _NO_HYPERVISOR = 1 << 1, 1 << 5, 1 << 6
_TIMES = 1 | 2  # a reading says too how long it was wanted and how long it really counted
_READING = struct.Struct("=QQQ")
_CLOSE_ON_EXEC = 8
_CALLS = {  # the number of perf_event_open by machine: C libraries have no name for it
    "x86_64": 298,
    "aarch64": 241,
    "riscv64": 241,
    "ppc64le": 319,
    "s390x": 331,
}
_FULL = 0.99  # a counter that shared its place with another's counts only a part


class Absent(Exception):
    """Why there is no counter, in plain words."""


class Forbidden(Absent):
    """There may be one, but not for this user."""


_counter = None  # the descriptor that `start` opened


def start():
    """Open the counter of instructions for this thread and all it will start, if there is one."""
    global _counter
    with contextlib.suppress(Absent):
        _counter, _ = _opened()


def possible():
    """What would be counted here, "user and kernel" or "user". Raises `Absent` with the reason."""
    fd, scope = _opened()
    os.close(fd)  # what is left open is inherited, and counted at some cost
    return scope


def reading():
    """The counter now, or None. Only `instructions` of two of them means anything."""
    return None if _counter is None else read(_counter)


def instructions(before, after):
    """Retired between two readings; None where they were not counted all of the time."""
    if before is None or after is None:
        return None
    count, wanted, counted = (end - begin for begin, end in zip(before, after))
    return count if wanted > 0 and counted >= _FULL * wanted else None


def read(fd):
    """(count, nanoseconds wanted, nanoseconds counted), or None."""
    try:
        return _READING.unpack(os.read(fd, _READING.size))
    except (OSError, struct.error):
        return None


def open_event(kind, event, flags):
    """A descriptor for an event of this thread and what it starts. Raises OSError."""
    import ctypes

    attributes = ctypes.create_string_buffer(layout(kind, event, flags), _ATTRIBUTES.size)
    number = ctypes.c_long(_CALLS[os.uname().machine])
    this_thread, every_processor, no_group = (ctypes.c_long(value) for value in (0, -1, -1))
    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    flags = ctypes.c_long(_CLOSE_ON_EXEC)
    fd = call(number, attributes, this_thread, every_processor, no_group, flags)
    if fd < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return fd


def layout(kind, event, flags):
    """The attributes as the kernel reads them."""
    flags |= _INHERIT
    return _ATTRIBUTES.pack(kind, _ATTRIBUTES.size, event, 0, 0, _TIMES, flags, 0, 0, 0)


def _opened():
    """A descriptor, and what it counts. Raises `Absent`."""
    if not sys.platform.startswith("linux"):
        raise Absent("only Linux is asked for them")
    # A 32-bit program has other numbers, whatever the machine is called.
    if os.uname().machine not in _CALLS or sys.maxsize < 2**32:
        raise Absent("how to ask on %s is not known" % os.uname().machine)
    denied = None
    for flags, counted in ((0, "user and kernel"), (_NO_KERNEL | _NO_HYPERVISOR, "user")):
        try:
            return open_event(HARDWARE, INSTRUCTIONS, flags), counted
        except ImportError:
            raise Absent("this Python was built without ctypes") from None
        except OSError as error:
            denied = error
    if isinstance(denied, PermissionError):
        raise Forbidden("this user may not (kernel.perf_event_paranoid, or the container)")
    raise Absent("this machine has no such counter (virtual machines seldom do)")
