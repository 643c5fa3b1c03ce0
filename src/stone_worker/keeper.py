"""The keeper: a process that sleeps beside the worker and leaves nothing behind.

It adopts every orphan among its descendants (a Linux "child subreaper"), so even a grandchild that
started its own session is found and killed when the worker ends or the host is gone. It needs no
lock of the worker's interpreter, so a worker stuck in native code is no obstacle.

Limits: if the keeper itself is killed, the worker dies with it, and ending the worker's own
children is left to the host; a child that changed its user cannot be killed; outside Linux only the
worker is killed.
"""

import contextlib
import json
import os
import resource
import select
import signal
import sys
import time

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
PATIENCE_S = 5.0  # how long to wait for killed processes to be gone


def start(fd_in, fd_out):
    """Fork: returns in the worker, never in the keeper."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    # A crash is expected here; a core file of gigabytes is not wanted.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    # Before the fork, so that a worker that dies at once is not missed.
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(wake_write)
    keeper = os.getpid()
    worker = os.fork()
    if worker:
        try:
            _keep(worker, fd_in, fd_out, wake_read)
        finally:
            os._exit(0)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.close(wake_read)
    os.close(wake_write)
    os.setpgid(0, 0)  # a program that signals its whole group must not hit the keeper
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != keeper:
        os._exit(1)


def _keep(worker, fd_in, fd_out, wake):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    poller = select.poll()
    poller.register(fd_in, 0)  # no data wanted, only the hang-up: the host let go
    poller.register(wake, select.POLLIN)
    status = None
    while status is None:
        if any(fd == fd_in for fd, _ in poller.poll()):
            break
        os.read(wake, 512)
        status, _ = _reap(worker)
    _kill_descendants()
    if status is not None:
        gone = (
            {"signal": os.WTERMSIG(status)}
            if os.WIFSIGNALED(status)
            else {"code": os.WEXITSTATUS(status)}
        )
        # A line feed first: the worker may have died in the middle of a line.
        with contextlib.suppress(OSError):  # the host may no longer listen
            os.write(fd_out, b"\n" + json.dumps({"gone": gone}).encode("ascii") + b"\n")


def _reap(worker):
    """Collect whoever has died; answer the worker's status, and whether any child is left."""
    status = None
    while True:
        try:
            pid, code = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return status, False
        if pid == 0:
            return status, True
        if pid == worker:
            status = code


def _kill_descendants():
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        for pid in descendants(os.getpid()):
            with contextlib.suppress(OSError):  # gone already, or not ours to kill
                os.kill(pid, signal.SIGKILL)
        if not _reap(None)[1]:
            return
        time.sleep(0.002)


def descendants(ancestor):
    """Every process below this one, from /proc; its own children alone where there is none."""
    children = {}
    for entry in os.listdir("/proc") if os.path.isdir("/proc") else []:
        if entry.isdigit():
            try:
                with open("/proc/%s/stat" % entry, "rb") as stat:
                    # The name, in brackets, may hold anything; after it: state, parent.
                    parent = int(stat.read().rpartition(b")")[2].split()[1])
            except (OSError, IndexError, ValueError):
                continue  # it ended while we were looking
            children.setdefault(parent, []).append(int(entry))
    found, frontier = [], [ancestor]
    while frontier:
        below = children.get(frontier.pop(), [])
        found.extend(below)
        frontier.extend(below)
    return found


def _prctl(option, value):
    if sys.platform.startswith("linux"):
        try:
            import ctypes
        except ImportError:
            return  # an interpreter built without it: the hang-up of the pipe still ends the worker
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
