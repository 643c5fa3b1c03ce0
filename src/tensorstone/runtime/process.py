"""A worker process, from the host's side: ask it something; every way of dying is an `Outcome`."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
import uuid
import weakref
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

import psutil

from stone_worker import PROTOCOL
from tensorstone.results.codec import Damaged, checked
from tensorstone.results.outcome import Outcome
from tensorstone.runtime import answers, memory, messages, sampling
from tensorstone.runtime.answers import Gone, Hello, Said
from tensorstone.runtime.channel import Channel, Closed, Garbage
from tensorstone.runtime.failure import Failure, of_error, of_exit
from tensorstone.runtime.invocation import Invocation
from tensorstone.runtime.orphans import MARK, end_orphans

T = TypeVar("T")

START_TIMEOUT_S = 60.0
LAST_WORDS_BYTES = 4000
LAST_WORDS_LINES = 30
MOST_PRINTED = 16 * 2**20  # bytes kept of what it prints: only the end is ever read
BLOCK_BYTES = 512  # of st_blocks, by POSIX
LOOK_S = 0.01
CLOSE_S = 8.0  # the keeper's own patience, and some

_alive: weakref.WeakSet[Worker] = weakref.WeakSet()


def hang_up_all() -> None:
    """End every worker, whichever thread waits for it: what it was asked then fails at once."""
    for worker in list(_alive):
        worker.hang_up()


class Worker:
    """One worker, started at once and killed with everything below it when closed.

    `with Worker(invocation) as worker: worker.request("load", timeout_s=60, ...)`; a request that
    is not answered well raises `Failure` with the outcome. Standard output and error go to a
    nameless file in the invocation's folder and come back as the last output.
    """

    def __init__(
        self,
        invocation: Invocation,
        memory_limit: int | None = None,
        poll_s: float = sampling.POLL_S,
    ) -> None:
        self._limit = memory.default_limit() if memory_limit is None else memory_limit
        self._poll_s = poll_s
        self._kernel_kills = memory.kernel_kills()
        self._ended: Outcome | None = None
        self._requests = 0
        self._mark = uuid.uuid4().hex
        self._tree: sampling.Tree | None = None
        self._log = tempfile.TemporaryFile(dir=invocation.workdir)  # noqa: SIM115 (closed in close)
        self._start(invocation)
        _alive.add(self)
        try:
            self._greet(invocation)
        except BaseException:
            self.close()
            raise

    def _start(self, invocation: Invocation) -> None:
        child_in, host_out = os.pipe()
        host_in, child_out = os.pipe()
        self._channel = Channel(host_in, host_out)
        try:
            self._keeper = subprocess.Popen(
                invocation.command(child_in, child_out),
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=self._log,
                env={**invocation.environment(os.environ), MARK: self._mark},
                cwd=invocation.workdir,
                pass_fds=(child_in, child_out),
                start_new_session=True,  # Ctrl-C in the terminal is the host's to handle
            )
        except OSError as error:
            self._channel.close()
            self._log.close()
            said = messages.cannot_start(invocation.python, error.strerror)
            raise Failure(Outcome("not-installed", said)) from error
        finally:
            os.close(child_in)
            os.close(child_out)

    def _greet(self, invocation: Invocation) -> None:
        hello = self._await("start", time.monotonic() + START_TIMEOUT_S, START_TIMEOUT_S)
        said = self._checked(Hello, hello, "start")
        if said.hello != PROTOCOL:
            self._end(Outcome("failed", messages.wrong_hello(PROTOCOL, said.hello)))
        self.pid, self.python, pinned = said.pid, said.python, said.cpus
        self._tree = sampling.Tree(self._keeper.pid, self.pid)
        if invocation.cpus and pinned and pinned != tuple(sorted(invocation.cpus)):
            wrong = messages.other_processors(invocation.cpus, pinned)
            self._end(Outcome("failed", wrong))

    def request(
        self,
        do: str,
        timeout_s: float,
        look: Callable[[], None] | None = None,
        **fields: Any,
    ) -> dict[str, Any]:
        """Ask, wait, and return what the worker answered; `look` is called now and then meanwhile.

        Raises `Failure`.
        """
        if self._ended is not None:
            raise Failure(self._ended)
        deadline = time.monotonic() + timeout_s
        self._requests += 1
        try:
            self._channel.send({"do": do, "id": self._requests, **fields}, deadline)
        except Closed:
            pass  # the keeper's last line, still to be read, says why
        except TimeoutError:
            self._end(Outcome("timed-out", messages.not_read_in_time(do, timeout_s)))
        answer = self._await(do, deadline, timeout_s, look)
        if answer.get("id") != self._requests or not {"ok", "error"} & answer.keys():
            self._refuse(do, repr(str(answer)[:80]))
        if "error" in answer:
            error = self._checked(Said, answer["error"], do)
            raise Failure(of_error(error, during=do), alive=True)
        try:
            return answers.answer(do, answer["ok"])
        except Damaged as damaged:
            self._refuse(do, messages.no_fields(str(answer)[:80], damaged))

    def pause(self) -> None:
        """Stop it and everything below it; a request would only wait until it is woken."""
        self._signal(signal.SIGSTOP)

    def wake(self) -> None:
        """Let it go on after a pause."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        for pid in self.pids():
            with contextlib.suppress(OSError):  # it has just ended: the next request will tell
                os.kill(pid, number)

    def peak_rss(self) -> int:
        """The most memory the worker and its descendants have held, in bytes."""
        return self._tree.peak_rss() if self._tree else 0

    def pids(self) -> list[int]:
        """The worker and its descendants."""
        return sampling.descendants(self._keeper.pid)

    def cpu_s(self) -> float:
        """Processor time the worker and its descendants have used so far."""
        return self._tree.cpu_s() if self._tree else 0.0

    def _await(
        self, do: str, deadline: float, timeout_s: float, look: Callable[[], None] | None = None
    ) -> dict[str, Any]:
        poll_s = LOOK_S if look else self._poll_s
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                self._end(Outcome("timed-out", messages.too_slow(do, timeout_s)))
            # Asked before reading, so that the keeper's last line is never missed.
            unattended = self._keeper.poll() is not None
            try:
                message = self._channel.receive(0.0 if unattended else min(left, poll_s))
                if message is None and unattended:
                    raise Closed
            except Garbage as garbage:
                self._refuse(do, str(garbage))
            except Closed:
                self._end(Outcome("crashed", messages.vanished(do)))
            if message is None:
                if look:
                    look()
                self._check_memory(do)
                self._drop_old_words()
            elif "gone" in message:
                gone = self._checked(Gone, message["gone"], do)
                kernel_killed = memory.kernel_kills() > self._kernel_kills
                self._end(of_exit(gone, do, kernel_killed))
            else:
                return message

    def _checked(self, kind: type[T], said: Any, do: str) -> T:
        """What the worker said, if it is what it should be; else the worker's end."""
        try:
            return checked(kind, said)
        except Damaged as damaged:
            self._refuse(do, messages.no_fields(str(said)[:80], damaged))

    def _refuse(self, do: str, said: str) -> NoReturn:
        self._end(Outcome("failed", messages.wrong_answer(do, said)))

    def _check_memory(self, do: str) -> None:
        used = self._tree.rss() if self._tree else 0
        if used > self._limit:
            reason = messages.too_much_memory(do, used, self._limit)
            self._end(Outcome("out-of-memory", reason))

    def _end(self, outcome: Outcome) -> NoReturn:
        """Kill what is left, and tell why with the last output."""
        self._ended = Outcome(outcome.status, outcome.reason, self.last_output())
        self.close()
        raise Failure(self._ended)

    def last_output(self) -> str:
        """The end of what the worker printed."""
        if self._log.closed:
            return self._ended.last_output if self._ended else ""
        # Without seeking: the worker shares this file's position, and must go on at the end.
        fd = self._log.fileno()
        tail = os.pread(fd, LAST_WORDS_BYTES, max(0, os.fstat(fd).st_size - LAST_WORDS_BYTES))
        return "\n".join(tail.decode("utf-8", "replace").strip().splitlines()[-LAST_WORDS_LINES:])

    def _drop_old_words(self) -> None:
        """Give back the disk that a worker took which prints without end. It writes on where it
        was; what is before its last output becomes a hole."""
        fd = self._log.fileno()
        status = os.fstat(fd)
        if status.st_blocks * BLOCK_BYTES > MOST_PRINTED:
            start = max(0, status.st_size - LAST_WORDS_BYTES)
            tail = os.pread(fd, LAST_WORDS_BYTES, start)
            os.ftruncate(fd, 0)
            os.pwrite(fd, tail, start)

    def hang_up(self) -> None:
        """Have the worker and its descendants killed, without waiting for it."""
        self._channel.hang_up()

    def close(self) -> None:
        """Kill the worker and every descendant; return when they are gone."""
        if self._ended is None:
            self._ended = Outcome("failed", messages.CLOSED)
        self._channel.close()  # the keeper sees the hang-up and kills the whole tree
        try:
            self._keeper.wait(CLOSE_S)
        except subprocess.TimeoutExpired:
            self._kill_by_hand()
        if self._keeper.returncode:  # it was killed, or never began
            end_orphans(self._mark)
        self._log.close()

    def _kill_by_hand(self) -> None:
        """The keeper does not answer (it was stopped, say): do its work."""
        for pid in [*sampling.descendants(self._keeper.pid), self._keeper.pid]:
            with contextlib.suppress(psutil.Error):
                psutil.Process(pid).kill()
        self._keeper.wait()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
