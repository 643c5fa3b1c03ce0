"""How much code a program is: its lines and its decisions.

Both look at what a dialect's user has to write: the program without docstrings, and without
`data()` and the `__main__` section, which every program has alike.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator

_WORDS = (tokenize.NAME, tokenize.NUMBER, tokenize.STRING)
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_BRANCHES = (ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.match_case)


def code_lines(source: str) -> int:
    """How many lines of code the formatted program has.

    A line counts when a name, a number or a string begins on it. Blank lines, comments and
    docstrings do not, nor do lines of closing brackets. Not statements: a model written as one
    expression would be one, however many layers it has.
    """
    tree = ast.parse(source)
    left_out = [*_alike(tree), *_docstrings(tree)]
    excluded = {line for node in left_out for line in range(node.lineno, _end(node) + 1)}
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return len({token.start[0] for token in tokens if token.type in _WORDS} - excluded)


def code_complexity(source: str) -> int:
    """How many ways through the program a reader has to follow, after McCabe.

    One for each function (methods and lambdas too), and one more for each decision in it: `if`
    (and `… if … else …`), `for`, `while`, `except`, a `case`, the `for` and each `if` of a
    comprehension, and each `and` or `or`.
    """
    tree = ast.parse(source)
    alike = list(_alike(tree))
    kept = [node for node in tree.body if node not in alike]
    return sum(_weight(node) for top in kept for node in ast.walk(top))


def _weight(node: ast.AST) -> int:
    if isinstance(node, (*_FUNCTIONS, *_BRANCHES)):
        return 1
    if isinstance(node, ast.comprehension):
        return 1 + len(node.ifs)
    if isinstance(node, ast.BoolOp):
        return len(node.values) - 1
    return 0


def _alike(tree: ast.Module) -> Iterator[ast.stmt]:
    """The sections that every program shares."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == "data":
            yield node
        if isinstance(node, ast.If) and "__name__" in ast.unparse(node.test):
            yield node


def _docstrings(tree: ast.Module) -> Iterator[ast.stmt]:
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            yield node.body[0]


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno
