"""Contestants whose processes are started and looked at."""

from __future__ import annotations

from racing import make, mark

__all__ = ["make", "mark"]
