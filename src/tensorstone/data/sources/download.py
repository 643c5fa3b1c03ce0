"""A data set's own home page, or a copy that its keepers name."""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from tensorstone.data import messages
from tensorstone.data.refused import DataRefused
from tensorstone.support.progress import Progress
from tensorstone.support.version import VERSION

_CHUNK = 1 << 18


@dataclass(frozen=True)
class Download:
    folder: str  # "https://ai.stanford.edu/~amaas/data/sentiment/"
    files: tuple[str, ...]
    fetched_bytes: int
    timeout_s: float = 30.0  # for an answer, and for every next part of it

    @property
    def name(self) -> str:
        return urlsplit(self.folder).netloc

    def fetch(self, scratch: Path, progress: Progress, most: int) -> Path:
        done = 0
        for file in self.files:
            try:
                done = self._download(file, scratch, progress, done, most)
            except urllib.error.HTTPError as error:
                said = messages.http_error(file, error.code, error.reason)
                raise DataRefused(said) from error
            except urllib.error.URLError as error:
                raise DataRefused(messages.unreachable(error.reason)) from error
            except (OSError, http.client.HTTPException) as error:
                raise DataRefused(messages.broke_off(file, error)) from error
        return scratch

    def _download(self, file: str, scratch: Path, progress: Progress, done: int, most: int) -> int:
        """Bytes done with this file; `most` of them are enough for all files together."""
        agent = {"User-Agent": f"tensorstone/{VERSION}"}
        request = urllib.request.Request(self.folder + file, headers=agent)
        began = done
        with (
            urllib.request.urlopen(request, timeout=self.timeout_s) as answer,
            (scratch / file).open("wb") as kept,
        ):
            while chunk := answer.read(_CHUNK):
                done += len(chunk)
                if done > most:
                    raise DataRefused(messages.too_large(file, most - began))
                kept.write(chunk)
                progress.advance(min(done, self.fetched_bytes), f"downloading {file}")
            promised = answer.headers["Content-Length"]
        if promised and int(promised) != done - began:
            raise DataRefused(messages.incomplete(file, done - began, promised))
        return done
