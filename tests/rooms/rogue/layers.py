"""Misbehaviour instead of layers."""

BEHAVIOUR = {
    "segfault": "ctypes.string_at(0)",
    "hang": "time.sleep(3600)",
    "garbage": "[os.write(fd, b'rubbish\\n') for fd in range(4096) if writable(fd)]",
    "hog": "[bytearray(2**26) for _ in range(10**6)]",
    "wrong": "None",
}


def describe(workload, dialect):
    return {"behaviour": BEHAVIOUR[dialect.short]}
