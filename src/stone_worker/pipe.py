"""One JSON object a line, on two file descriptors."""

import json
import os


class Pipe(object):
    def __init__(self, fd_in, fd_out):
        self._in = os.fdopen(fd_in, "rb", closefd=False)
        self._out = fd_out
        for fd in (fd_in, fd_out):
            os.set_inheritable(fd, False)

    def receive(self):
        """The next request, or None when the host has closed its end."""
        line = self._in.readline()
        return json.loads(line.decode("utf-8")) if line else None

    def send(self, message):
        data = json.dumps(message).encode("utf-8") + b"\n"
        while data:
            data = data[os.write(self._out, data) :]
