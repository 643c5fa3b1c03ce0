"""Start here: pin, put the keeper in place, say hello, serve."""

import os
import sys


def _find_package():
    """Import this package from where it lies, leaving its folder off the search path."""
    import importlib.util

    here = os.path.dirname(os.path.abspath(__file__))
    # Python put this folder first; `pipe` or `timing` must not shadow anyone's module.
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != here]
    spec = importlib.util.spec_from_file_location(
        "stone_worker", os.path.join(here, "__init__.py"), submodule_search_locations=[here]
    )
    package = importlib.util.module_from_spec(spec)
    sys.modules["stone_worker"] = package
    spec.loader.exec_module(package)


def main(arguments):
    fd_in, fd_out = int(arguments[0]), int(arguments[1])
    cpus = [int(cpu) for cpu in arguments[2].split(",")] if len(arguments) > 2 else None
    if cpus and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cpus)

    from stone_worker import keeper

    keeper.start(fd_in, fd_out)

    import faulthandler

    from stone_worker import counters
    from stone_worker.pipe import Pipe
    from stone_worker.serve import serve

    faulthandler.enable()  # says, at a segfault, which line of the program it was on
    counters.start()  # only threads that start later are counted
    serve(Pipe(fd_in, fd_out))


if __name__ == "__main__":
    if __package__ != "stone_worker":
        _find_package()
    main(sys.argv[1:])
