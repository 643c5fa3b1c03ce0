"""Where things are kept: the cache (what can be made again) and the data (the ledger)."""

from __future__ import annotations

import os
from pathlib import Path

from tensorstone.support import messages
from tensorstone.support.errors import StoneError

APPLICATION = "tensorstone"


def cache_dir() -> Path:
    """What can be made again: `$STONE_CACHE`, else the user's cache folder."""
    from platformdirs import user_cache_path

    return _writable("cache", "STONE_CACHE", user_cache_path(APPLICATION))


def data_dir() -> Path:
    """What cannot be made again: `$STONE_DATA`, else the user's data folder."""
    from platformdirs import user_data_path

    return _writable("data", "STONE_DATA", user_data_path(APPLICATION))


def envs_dir() -> Path:
    """The folder of the frameworks' environments."""
    return _made(cache_dir() / "envs", "cache", "STONE_CACHE")


def sets_dir() -> Path:
    """The folder of the data sets."""
    return _made(cache_dir() / "data", "cache", "STONE_CACHE")


def _writable(what: str, variable: str, default: Path) -> Path:
    chosen = os.environ.get(variable)
    return _made(expanded(chosen, variable).absolute() if chosen else default, what, variable)


def expanded(text: str, given_by: str) -> Path:
    """A path as a person writes it, `~` and `~name` included."""
    path = os.path.expanduser(text)  # noqa: PTH111 (pathlib's raises for unknown users)
    if path.startswith("~"):
        user = path[1:].partition("/")[0]
        raise StoneError(*messages.no_such_user(given_by, path, user))
    return Path(path)


def _made(path: Path, what: str, variable: str) -> Path:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = messages.folder_not_made(what, path, error.strerror, variable)
        raise StoneError(*message) from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise StoneError(*messages.folder_not_writable(what, path, variable))
    return path
