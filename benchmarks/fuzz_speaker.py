"""A worker that computes nothing: it answers every request well, but for one, which it answers with
the line it was given. Arguments: the pipe's ends, the request, and the file of the line, in which
ID stands for the request's number. The fuzz benchmark and the tests of bad cells start it."""

import json
import os
import sys
from pathlib import Path

BLOCK = {
    "steps": 5, "wall_s": 0.01, "cpu_s": 0.01, "system_s": 0.0, "minor_faults": 0,
    "major_faults": 0, "voluntary": 0, "involuntary": 0, "instructions": None,
}  # fmt: skip
GOOD = {
    "load": {"import_s": 0.1, "version": "1"},
    "new": {"build_s": 0.1},
    "learner": {"build_s": 0.1},
    "train": {"losses": [0.0], "feed_s": 0.0, "wall_s": 0.01},
    "feed": {"steps": 8, "bytes": 8},
    "block": BLOCK,
}


def main():
    read_fd, write_fd, wrong = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    line = Path(sys.argv[4]).read_bytes()

    def say(data):
        os.write(write_fd, data + b"\n")

    hello = {"hello": 1, "pid": os.getpid(), "python": "3", "cpus": []}
    say(numbered(line, 1) if wrong == "hello" else json.dumps(hello).encode())
    with os.fdopen(read_fd) as requests:
        for text in requests:
            request = json.loads(text)
            number, name = request["id"], request["do"]
            if name == wrong:
                say(numbered(line, number))
            else:
                say(json.dumps({"id": number, "ok": GOOD.get(name, {})}).encode())


def numbered(line, number):
    """With the request's number, for which JSON has a text."""
    for name in (b'"ID"', b"ID"):
        line = line.replace(name, b"%d" % number)
    return line


main()
