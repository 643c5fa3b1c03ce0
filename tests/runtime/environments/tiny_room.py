"""A tiny room whose environment takes a moment: one pure-Python wheel, made here."""

from __future__ import annotations

import hashlib
import os
import sys
import zipfile
from pathlib import Path

from tensorstone.dialects.registry import Framework

OWN = "{}.{}".format(*sys.version_info[:2])


def make_wheel(folder: Path, name: str, version: str = "1.0", payload: int = 0) -> Path:
    """A wheel of one module, `payload` bytes heavier than it need be."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    files = {
        f"{name}.py": f"version = {version!r}\n".encode(),
        f"{name}_data.bin": os.urandom(payload),
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{each},,\n" for each in files) + f"{info}/RECORD,,\n"
    with zipfile.ZipFile(path, "w") as wheel:
        for each, content in files.items():
            wheel.writestr(each, content)
        wheel.writestr(f"{info}/RECORD", record)
    return path


def pin(wheel: Path) -> str:
    name, version = wheel.name.split("-")[:2]
    sha = hashlib.sha256(wheel.read_bytes()).hexdigest()
    return f"{name}=={version} \\\n    --hash=sha256:{sha}\n"


def make_room(folder: Path, wheel: Path, python: str = OWN) -> Framework:
    folder.mkdir(parents=True, exist_ok=True)
    sizes = "# bytes: download 2000, unpacked 4000, bytecode 1000\n"
    (folder / "requirements.lock").write_text(sizes + pin(wheel))
    name, version = wheel.name.split("-")[:2]
    return Framework(
        name="tiny",
        room=folder,
        title="Tiny",
        home="",
        python=python,
        package=name,
        requirements=(f"{name}=={version}",),
        layout="NCHW",
    )
