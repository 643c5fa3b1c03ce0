"""How the C library handled freed memory, in plain words."""

from __future__ import annotations


def allocator_said(kept: bool, libc: str) -> str:
    name = libc or "the C library"
    if kept and not libc.startswith("glibc"):
        return f"{name} cannot be told to keep freed memory; its default is used"
    if kept:
        return f"{name} keeps freed memory for the next step, in one arena for all threads"
    return f"{name} with its default settings: freed large arrays go back to the kernel"
