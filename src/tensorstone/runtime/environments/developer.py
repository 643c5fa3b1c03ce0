"""The developers' tools on top of stone's own environment: `make` runs this."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tensorstone.runtime.environments import pip_config, uv

LOCK = Path(__file__).parents[4] / "requirements-dev.lock"


def main() -> int:
    sources = pip_config.read()
    command = [uv.binary(), "pip", "install", "--python", sys.executable, "--require-hashes"]
    command += [*sources.arguments(), "-r", str(LOCK)]
    return subprocess.run(command, env=uv.environment(sources)).returncode


if __name__ == "__main__":
    sys.exit(main())
