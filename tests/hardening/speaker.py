"""A worker that computes nothing. Arguments: the pipe's ends, the request to answer wrongly, and
the file of the line to answer with."""

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
    say(line.replace(b"ID", b"1") if wrong == "hello" else json.dumps(hello).encode())
    with os.fdopen(read_fd) as requests:
        for text in requests:
            request = json.loads(text)
            if request["do"] == wrong:
                say(line.replace(b"ID", b"%d" % request["id"]))
            else:
                good = GOOD.get(request["do"], {})
                say(json.dumps({"id": request["id"], "ok": good}).encode())


main()
