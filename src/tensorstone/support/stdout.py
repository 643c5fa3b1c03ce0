"""Standard output is for a command's result; anything else printed goes to standard error."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator

OUT, ERR = 1, 2


@contextlib.contextmanager
def to_stderr() -> Iterator[None]:
    """Send everything printed in this block to standard error: by Python, by a library, by a child
    process."""
    with contextlib.redirect_stdout(sys.stderr), contextlib.ExitStack() as after:
        with contextlib.suppress(OSError):  # one of them is closed: then nothing can go astray
            kept = os.dup(OUT)
            after.callback(_restore, kept)
            os.dup2(ERR, OUT)
        yield


def _restore(kept: int) -> None:
    os.dup2(kept, OUT)
    os.close(kept)
