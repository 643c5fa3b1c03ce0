"""The uv that makes environments: where it is, and the world it runs in."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from tensorstone.runtime.environments.pip_config import PipConfig

# A stalled connection is dropped and tried again, rather than waited for in silence. This is
# how long nothing at all may arrive: a slow line does not mind, and a mirror that has to fetch a
# gigabyte itself before it can begin has the time for that.
_PATIENCE = {"UV_HTTP_TIMEOUT": "60", "UV_HTTP_RETRIES": "6"}

# What would point uv at an environment, a project or modules that are not ours.
_FOREIGN = ("VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH", "PYTHONHOME", "UV_PYTHON", "UV_PROJECT")


@cache
def binary() -> str:
    """The uv that was installed with stone."""
    from uv import find_uv_bin

    return str(find_uv_bin())


def environment(config: PipConfig, downloads: Path | None = None) -> dict[str, str]:
    """The variables uv runs with; a cache folder the user chose for uv wins over `downloads`."""
    kept = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
    ours = dict(_PATIENCE) | config.variables()
    if downloads:
        ours["UV_CACHE_DIR"] = str(downloads)
    return ours | kept
