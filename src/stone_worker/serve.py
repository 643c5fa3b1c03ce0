"""The worker's loop: hello, then an answer to every request, whatever the program does."""

import contextlib
import os
import platform
import sys

from stone_worker import PROTOCOL
from stone_worker.failure import Refused, describe
from stone_worker.requests import Session


def serve(pipe):
    worker = os.getpid()
    session = Session()
    pipe.send(
        {"hello": PROTOCOL, "pid": worker, "python": platform.python_version(), "cpus": _cpus()}
    )
    while True:
        try:
            request = pipe.receive()
        except ValueError as error:
            pipe.send({"error": describe(Refused("not a JSON line: %s" % error))})
            continue
        if request is None:
            _leave()
        answer = {"id": request.get("id")}
        if request.get("do") == "quit":
            answer["ok"] = {}
            pipe.send(answer)
            _leave()
        try:
            answer["ok"] = session.answer(request)
        except BaseException as error:  # SystemExit and KeyboardInterrupt included
            answer["error"] = describe(error)
        if os.getpid() != worker:
            os._exit(0)  # a child the program forked came back here: only the worker answers
        pipe.send(answer)


def _leave():
    """Go at once: no exit handlers of the program's, no waiting for its threads."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # the program may have closed or replaced it
            stream.flush()
    os._exit(0)


def _cpus():
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
