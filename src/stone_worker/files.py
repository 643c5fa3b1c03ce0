"""Files between the host and the worker: arrays, and what programs save."""

import glob
import os


def arrays(path):
    """The arrays of a file, by name."""
    import numpy

    with numpy.load(path, allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def write(path, named):
    """Write arrays by name."""
    import numpy

    with open(path, "wb") as file:  # given a name, NumPy would add a suffix of its own
        numpy.savez(file, **named)


def size(path):
    """Bytes on disk of what was saved: a file, a folder, or several files with this prefix."""
    files = [name for name in glob.glob(glob.escape(path) + "*") if os.path.isfile(name)]
    for folder, _, names in os.walk(path):
        files += [os.path.join(folder, name) for name in names]
    return sum(os.path.getsize(name) for name in files)
