"""Running uv under watch: what it says becomes notes, what it writes becomes bytes done."""

from __future__ import annotations

import re
import subprocess
import threading
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tensorstone.runtime.environments.locked import Sizes
from tensorstone.support.bytes_written import bytes_written
from tensorstone.support.progress import Progress

_POLL_SECONDS = 0.2
_LAST_WORDS = 20


@dataclass(frozen=True)
class Ending:
    """How a command ended."""

    code: int
    last_output: str


@dataclass
class Story:
    """What uv's lines tell: which packages are on their way, and which stage is behind us."""

    sizes: Sizes
    coming: list[str] = field(default_factory=list)
    stage: str = "looking packages up"
    floor: int = 0  # bytes that are certainly there: none are written when they were cached

    def hear(self, line: str) -> None:
        word, _, rest = line.strip().partition(" ")
        name = rest.partition(" ")[0]
        if word == "Downloading":
            self.coming.append(name)
        elif word == "Downloaded" and name in self.coming:
            self.coming.remove(name)
        elif word == "Resolved":
            self.stage = "downloading"
        elif word == "Prepared":
            self.stage, self.floor = "putting in place", self.sizes.unpacked
        elif word == "Installed":
            self.stage, self.floor = "compiling bytecode", self.sizes.unpacked

    @property
    def note(self) -> str:
        return "downloading " + ", ".join(self.coming) if self.coming else self.stage

    def done(self, written: int) -> int:
        """Bytes done; a promise is never overtaken, and a stage never goes backwards."""
        ceiling = self.sizes.on_disk if self.floor else self.sizes.unpacked
        return max(self.floor, min(written, ceiling))


def run(
    command: Sequence[str],
    *,
    sizes: Sizes,
    progress: Progress,
    environment: Mapping[str, str],
    folder: Path,
    keep_open: Iterable[int] = (),
) -> Ending:
    """Run uv to its end, telling `progress` how far it is. An exception stops uv first."""
    story = Story(sizes)
    heard: deque[str] = deque(maxlen=_LAST_WORDS)
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=folder,
        env=dict(environment),
        pass_fds=tuple(keep_open),
        text=True,
        errors="replace",
    ) as process:

        def listen() -> None:
            assert process.stdout
            for line in process.stdout:
                heard.append(_plain(line))
                story.hear(heard[-1])

        listener = threading.Thread(target=listen, daemon=True)
        listener.start()
        try:
            while process.poll() is None:
                progress.advance(story.done(bytes_written(process.pid)), story.note)
                listener.join(_POLL_SECONDS)  # it ends when uv closes its mouth
                if not listener.is_alive():
                    process.wait()
        except BaseException:
            process.kill()
            raise
        listener.join()
    return Ending(process.returncode, "\n".join(heard).strip())


def _plain(line: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", line).rstrip()
