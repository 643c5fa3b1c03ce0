"""Run by tests in a process of its own: install the tiny room whose folder is given."""

import sys
from pathlib import Path

from tiny_room import make_room

from tensorstone.runtime.environments.install import ensure

folder, wheel = map(Path, sys.argv[1:])
print(ensure(make_room(folder, wheel)).seconds)
