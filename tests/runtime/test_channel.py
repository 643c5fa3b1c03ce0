"""The host's end of the pipe: closing it twice must not close somebody else's file."""

from __future__ import annotations

import os

from tensorstone.runtime.channel import Channel


def test_closing_again_leaves_files_that_took_the_numbers_alone() -> None:
    near, far = os.pipe(), os.pipe()
    channel = Channel(near[0], far[1])
    channel.close()
    somebodys = os.open(os.devnull, os.O_RDONLY)
    for number in (near[0], far[1]):
        if number != somebodys:
            os.dup2(somebodys, number)
    channel.close()
    for fd in {near[0], far[1], somebodys, near[1], far[0]}:
        os.close(fd)  # raises if it is closed already
