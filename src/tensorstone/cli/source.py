"""A program's source on standard output, coloured on a terminal."""

from __future__ import annotations

import sys

# Of middle brightness: each can be read on black and on white.
COLOURS = {
    "Comment": "italic #808080",
    "Keyword": "bold #a65fc0",
    "Operator.Word": "bold #a65fc0",
    "Literal.String": "#2e8b57",
    "Literal.Number": "#c26a1a",
    "Name.Function": "#3a87d8",
    "Name.Class": "bold #3a87d8",
    "Name.Decorator": "#3a87d8",
    "Name.Builtin": "#2b8fa3",
}


def print_source(source: str) -> None:
    if not sys.stdout.isatty():
        print(source, end="")
        return
    print(coloured(source), end="")


def coloured(source: str) -> str:
    """With the codes of a terminal of 256 colours; other words have the terminal's own colour."""
    from pygments import highlight
    from pygments.formatters import Terminal256Formatter
    from pygments.lexers import PythonLexer
    from pygments.style import Style
    from pygments.token import string_to_tokentype

    styles = {string_to_tokentype(name): said for name, said in COLOURS.items()}
    readable = type("Readable", (Style,), {"styles": styles})
    return str(highlight(source, PythonLexer(), Terminal256Formatter(style=readable)))
