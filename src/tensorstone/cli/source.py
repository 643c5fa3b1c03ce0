"""A program's source on standard output, coloured on a terminal."""

from __future__ import annotations

import sys


def print_source(source: str) -> None:
    if not sys.stdout.isatty():
        print(source, end="")
        return
    from pygments import highlight
    from pygments.formatters import Terminal256Formatter
    from pygments.lexers import PythonLexer

    print(highlight(source, PythonLexer(), Terminal256Formatter()), end="")
