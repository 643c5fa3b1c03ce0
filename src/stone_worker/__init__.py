"""What runs inside a framework's environment: one program, driven over a pipe of its own.

Standard library and NumPy only, Python 3.6 and newer, nothing of tensorstone. Started as

    <env python> -u -s .../stone_worker/__main__.py FD_IN FD_OUT [CPUS]

by path, not through PYTHONPATH: the folder that holds this package may hold another NumPy too.
(`-m stone_worker FD_IN FD_OUT [CPUS]` works as well where the package is importable.)
CPUS is `0,2`: the affinity, set before anything else is imported, so that every library that
counts processors counts these.

Two processes
    The first forks at once and stays behind as the *keeper* (keeper.py); the second is the worker.
    The keeper sleeps until the worker dies or the host lets go of FD_IN (by closing it, or by
    dying however it dies), then kills every descendant and says how the worker ended.

The pipe
    One JSON object a line each way on FD_IN and FD_OUT, never on standard output: frameworks print.
    From the worker, first       {"hello": 1, "pid": ..., "python": "3.6.15", "cpus": [0, 2]}
    To the worker                {"do": NAME, "id": N, FIELD: VALUE, ...}
    Its answer                   {"id": N, "ok": {...}}
                              or {"id": N, "error": {"kind": ..., "type": ..., "message": ...,
                                                     "traceback": ...}}
                                 kind: exception (the program's or the bridge's fault), memory,
                                 protocol (the request's fault). The worker goes on.
                                 The id is the request's: nothing else on the pipe passes for it.
    From the keeper, last        {"gone": {"signal": 11}} or {"gone": {"code": 0}}
    1 in hello is the version of all this. Arrays go by file (.npz, never pickled).

Requests (fields -> answer)
    load     program, bridge, layers, threads, precision (optional) -> import_s, version
             imports the bridge, lets it `configure(threads)`, imports the program. import_s is the
             wall time of all three, NumPy's import included. Again: another program, same bridge.
             With precision "float64" the bridge then makes the framework compute in float64, the
             program's text untouched: the answer has `changed` (what it did) or `absent` (why it
             cannot). Weights and samples are to come in float64 too.
    new      weights (path or null) -> build_s
             a new net, given these weights; the previous net and learner are forgotten.
    learner  sgd (rate or null) -> build_s
             loss and optimiser; with `sgd`, the optimiser replaced by plain SGD.
    train    data, batch, steps (optional: only so many batches) -> losses, feed_s, wall_s
             feed_s makes the batches, wall_s runs over them until the framework has finished.
    predict  data, out -> wall_s                writes the array `outputs`
    epoch    data, batch, seed, epoch -> losses, feed_s, wall_s, steps
             trains once on all samples in this epoch's order (shuffling.py), an incomplete last
             batch dropped. They are gathered before either clock starts.
    evaluate data, batch, out, steps (optional: only so many batches) -> wall_s
             as predict, at most `batch` samples at a time
    read     out -> {}                          writes the weights, canonical names and layouts
    feed     data, batch -> steps, bytes        holds samples for timing (feeding.py says how many)
    block    steps, settle (optional: so many before the clock starts) -> steps, wall_s, cpu_s,
             system_s, minor_faults, major_faults, voluntary, involuntary, instructions
             times that many steps and one synchronise; batches are made before the clock starts
             and the garbage collector rests while it runs. `steps` answers how many were run.
             `instructions` is null where the machine or the kernel does not count (counters.py).
    iterate  steps, times, workers -> batches, walls_s, slices, slice_walls_s   or -> absent (why)
             takes the batches of such a block from the program's own `batches` and drops them,
             so many times over; then the same as plain slices of the same arrays. `workers` is
             how many processes make them (0: this one).
    calls    data, batch, seconds, most -> first_s, calls_s
             predicts so many samples a call, each call timed until its values are there; the first
             apart, then some that are not kept, then at most `most` in about `seconds`.
    save     path -> wall_s, bytes
    restore  path -> wall_s
             the net that the program's `load` makes of what `save` left there, in this process or
             another; the previous net and learner are forgotten.
    quit     -> {}                              then the worker is gone
"""

PROTOCOL = 1
