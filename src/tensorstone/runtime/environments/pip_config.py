"""pip's own configuration, said to uv.

Where packages come from is the machine's business, and people tell pip. This reads what pip reads
(its files, then PIP_ variables, the later replacing the earlier) with the standard library
alone: it also serves before anything is installed.
"""

from __future__ import annotations

import configparser
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

_TRUE = {"1", "true", "yes", "on"}


@dataclass(frozen=True)
class PipConfig:
    """The part of pip's configuration that says where packages come from."""

    index_url: str = ""
    extra_index_urls: tuple[str, ...] = ()
    find_links: tuple[str, ...] = ()
    trusted_hosts: tuple[str, ...] = ()
    no_index: bool = False
    cert: str = ""
    proxy: str = ""

    def arguments(self) -> list[str]:
        """uv's words for it."""
        words = ["--no-index"] if self.no_index else []
        if self.index_url:
            words += ["--default-index", self.index_url]
        for url in self.extra_index_urls:
            words += ["--extra-index-url", url]
        for place in self.find_links:
            words += ["--find-links", place]
        for host in self.trusted_hosts:
            words += ["--allow-insecure-host", host]
        if self.extra_index_urls:
            # uv stops at the first index that knows a name; pip, and a partial mirror, mean
            # all of them together. Hashes are checked, so no index can slip in another file.
            words += ["--index-strategy", "unsafe-best-match"]
        return words

    def variables(self) -> dict[str, str]:
        """What uv takes from its environment instead of its arguments."""
        named = {"SSL_CERT_FILE": self.cert, "ALL_PROXY": self.proxy}
        return {name: value for name, value in named.items() if value}

    def local_files(self) -> list[Path]:
        """Every file in the find-links folders of this machine."""
        folders = [Path(unquote(place.removeprefix("file://"))) for place in self.find_links]
        return [path for folder in folders if folder.is_dir() for path in folder.iterdir()]


def read(environ: Mapping[str, str] = os.environ) -> PipConfig:
    """The configuration pip would use here."""
    return merge(_files(environ), environ)


def merge(files: Iterable[Path], environ: Mapping[str, str]) -> PipConfig:
    """Settings from `files`, each overriding the ones before it, and variables above all."""
    settings: dict[str, str] = {}
    for file in files:
        settings |= _settings(file)
    for name, value in environ.items():
        if name.startswith("PIP_"):
            settings[_key(name.removeprefix("PIP_"))] = value
    return PipConfig(
        index_url=settings.get("index-url", ""),
        extra_index_urls=tuple(settings.get("extra-index-url", "").split()),
        find_links=tuple(settings.get("find-links", "").split()),
        trusted_hosts=tuple(settings.get("trusted-host", "").split()),
        no_index=settings.get("no-index", "").lower() in _TRUE,
        cert=settings.get("cert", ""),
        proxy=settings.get("proxy", ""),
    )


def _settings(file: Path) -> dict[str, str]:
    parser = configparser.RawConfigParser()
    try:
        parser.read(file, encoding="utf-8")
    except (configparser.Error, UnicodeDecodeError):
        return {}  # pip itself will say what is wrong with it
    found: dict[str, str] = {}
    for section in ("global", "install"):
        if parser.has_section(section):
            found |= {_key(name): value for name, value in parser.items(section)}
    return found


def _key(name: str) -> str:
    return name.lower().replace("_", "-")


def _files(environ: Mapping[str, str]) -> list[Path]:
    """pip's configuration files, in the order in which they override each other."""
    own = environ.get("PIP_CONFIG_FILE", "")
    if own == os.devnull:
        return []
    home = Path(environ.get("HOME", "~")).expanduser()
    shared = environ.get("XDG_CONFIG_DIRS") or "/etc/xdg"
    places = [Path(folder) / "pip/pip.conf" for folder in shared.split(os.pathsep)]
    places += [Path("/etc/pip.conf"), home / ".pip/pip.conf"]
    places.append(Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "pip/pip.conf")
    places.append(Path(sys.prefix) / "pip.conf")
    return [*places, Path(own)] if own else places
