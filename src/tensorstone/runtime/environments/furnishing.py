"""What a room adds to its environment: old names for libraries, and modules nobody ships any more.

All of it inside the environment's own folder; nothing of the machine's is touched.
"""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from tensorstone.runtime import messages
from tensorstone.runtime.environments import system
from tensorstone.runtime.spec import EnvironmentSpec
from tensorstone.support.errors import StoneError

SHIMS = "shims"


def furnish(framework: EnvironmentSpec, folder: Path) -> None:
    """Make the framework's shims and add its modules."""
    if framework.shims:
        (folder / SHIMS).mkdir()
    for name, target in framework.shims.items():
        found = system.library(target)
        if found is None:
            message = messages.no_library(framework.title, target, name, framework.room)
            raise StoneError(*message)
        (folder / SHIMS / name).symlink_to(found)
    if framework.site_packages.is_dir():
        (packages,) = folder.glob("lib/python*/site-packages")
        shutil.copytree(framework.site_packages, packages, dirs_exist_ok=True)


def fingerprint(framework: EnvironmentSpec) -> str:
    """Changes with whatever `furnish` would do; empty where that is nothing."""
    files = sorted(path for path in framework.site_packages.rglob("*.py"))
    texts = [f"{path.name}\0{path.read_text(encoding='utf-8')}" for path in files]
    if not framework.shims and not texts:
        return ""
    said = "\0".join([str(sorted(framework.shims.items())), *texts])
    return hashlib.sha256(said.encode()).hexdigest()
