"""Variables in the user's shell that would change how fast libraries are."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from tensorstone.results.run import Finding
from tensorstone.runtime import threads
from tensorstone.runtime.gauges import allocator

OVERRIDDEN = (*threads.COUNTS, *threads.PLACEMENT, *allocator.NAMES)
# Of these families stone sets only the above; the rest goes through to every worker.
FAMILIES = ("OMP_", "GOMP_", "KMP_", "MKL_", "OPENBLAS_", "BLIS_", "DNNL_", "ONEDNN_")
OTHERS = ("LD_PRELOAD", "GLIBC_TUNABLES", "NUMPY_MADVISE_HUGEPAGE", "XLA_FLAGS")


def findings(shell: Mapping[str, str] = os.environ) -> Iterator[Finding]:
    names = sorted(name for name, value in shell.items() if value)
    overridden = [name for name in names if name in OVERRIDDEN]
    if overridden:
        yield Finding(
            "variables",
            "note",
            f"set in your shell, ignored by stone: {', '.join(overridden)}",
            "nothing to do: stone sets them equally for all; choose threads with --threads",
        )
    reaching = [
        name
        for name in names
        if name not in OVERRIDDEN and (name in OTHERS or name.startswith(FAMILIES))
    ]
    if reaching:
        yield Finding(
            "variables",
            "warning",
            f"set in your shell and passed to every framework: {', '.join(reaching)}",
            f"unset {' '.join(reaching)}, unless you mean to measure with them",
        )
