"""Names of parametrised cases, the same in every process: a function's text holds its address."""

from __future__ import annotations


def shown(value: object) -> str:
    return "function" if callable(value) else str(value)[:50]
