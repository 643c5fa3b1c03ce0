"""One timing at a time on a machine: two at once would both be wrong."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import struct
from collections.abc import Iterator

from tensorstone.support import messages
from tensorstone.support.errors import MachineBusy

# An abstract socket's name: the kernel's own, so that nobody has to agree on a folder (two users
# may have two temporary ones), and gone however its holder dies. Tests, which time at once, give
# each stone a machine of its own by another name.
NAME, OTHER_NAME = "stone-timing", "STONE_TIMING_NAME"


@contextlib.contextmanager
def machine_lock() -> Iterator[None]:
    """Take the machine's lock for timing. Raises `MachineBusy` if another stone has it."""
    address = "\0" + os.environ.get(OTHER_NAME, NAME)
    with socket.socket(socket.AF_UNIX) as held:
        try:
            held.bind(address)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            raise MachineBusy(*messages.machine_busy(_holder(address))) from error
        held.listen()
        yield


def _holder(address: str) -> str:
    with socket.socket(socket.AF_UNIX) as asking:
        try:
            asking.connect(address)
        except OSError:  # it does not listen yet, or has just ended
            return "unknown"
        credentials = struct.Struct("3i")
        answer = asking.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, credentials.size)
    pid, _, _ = credentials.unpack(answer)
    return str(pid)
