"""Running a person's file statement by statement, so that all its mistakes are said at once.

What follows from a mistake is none: a statement that needs what an earlier one could not make is
not run, but the layers and recipes written in it are still tried one by one.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import inspect
from collections.abc import Iterator
from pathlib import Path

from tensorstone.models import messages
from tensorstone.models.mistakes import Mistake, explained, meant, misnamed, said_of
from tensorstone.models.written_at import noting

Namespace = dict[str, object]
PUT_TOGETHER = ("Model", "Workload")  # what they say depends on the parts they are given


def run(source: bytes, path: Path, namespace: Namespace) -> list[Mistake]:
    """Run the file in this namespace; every mistake in it, in the order of the lines."""
    try:
        tree = compile(source, str(path), "exec", ast.PyCF_ONLY_AST)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # no text, no syntax, too deep
        return [explained(error, path, namespace)]
    assert isinstance(tree, ast.Module)
    flags = _futures(tree)
    found: list[Mistake] = []
    missing: set[str] = set()  # names that a mistake left without a value
    with noting(str(path)) as noted:
        for statement in tree.body:
            mistakes: list[Mistake] = []
            if _read(statement) & missing:
                mistakes = list(_inside(statement, namespace, missing))
                missing |= _bound(statement)
            else:
                try:
                    module = ast.Module([statement], [])
                    exec(compile(module, str(path), "exec", flags, True), namespace)
                except KeyboardInterrupt:
                    raise
                except BaseException as error:  # a person's file may raise anything
                    mistakes = list(_inside(statement, namespace, missing))
                    first = explained(error, path, namespace, noted)
                    if first.message not in {one.message for one in mistakes}:
                        mistakes.append(first)
                    missing |= _bound(statement)
            found += mistakes
            if mistakes and isinstance(statement, ast.Import | ast.ImportFrom):
                break  # any name may be one that it should have brought
    return sorted(found, key=lambda one: one.line or 0)


def _futures(tree: ast.Module) -> int:
    """The compiler's flags for `from __future__ import …`."""
    names = [
        alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module == "__future__"
        for alias in node.names
    ]
    flags = 0
    for name in names:
        flags |= getattr(__future__, name).compiler_flag
    return flags


def _read(statement: ast.stmt) -> set[str]:
    return {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and _is_read(n)}


def _is_read(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Load)


def _bound(statement: ast.AST) -> set[str]:
    """Names that a statement gives a value, within it or for those after it."""
    found: set[str] = set()
    for node in ast.walk(statement):
        match node:
            case ast.Name() if not _is_read(node):
                found.add(node.id)
            case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.alias(name=name, asname=given):
                found.add(given or name.partition(".")[0])
            case ast.ExceptHandler(name=str(name)):
                found.add(name)
    return found


def _inside(statement: ast.stmt, namespace: Namespace, missing: set[str]) -> Iterator[Mistake]:
    """The mistakes of a statement's parts: names that mean nothing, and calls of ours that fail by
    themselves. Functions' bodies run when they are called."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return
    known = {*namespace, *vars(builtins), *missing, *_bound(statement)}
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and _is_read(node) and node.id not in known:
            near = meant(node.id, namespace)
            yield Mistake(*messages.not_defined(node.id, near), node.lineno)
    usable = {*namespace, *vars(builtins)} - missing - _bound(statement)
    failed: set[ast.AST] = set()
    for call in reversed([n for n in ast.walk(statement) if isinstance(n, ast.Call)]):
        mistakes = list(_strange(call, namespace))
        whole = not mistakes and not failed & set(ast.walk(call))
        if whole and _ours_alone(call, namespace, usable):
            mistakes = list(_tried(call, namespace))
        if mistakes:
            failed.add(call)
        yield from mistakes


def _ours_alone(call: ast.Call, namespace: Namespace, usable: set[str]) -> bool:
    """Whether a call is of ours, and nothing in it does anything but make values."""
    if isinstance(call.func, ast.Name | ast.Attribute) and _name(call.func) in PUT_TOGETHER:
        return False
    for node in ast.walk(call):
        match node:
            case ast.Call() if not _is_ours(node, namespace):
                return False
            case ast.Name(id=name) if name not in usable:
                return False
            case ast.Lambda() | ast.NamedExpr() | ast.Await() | ast.Yield() | ast.ListComp():
                return False
    return True


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _is_ours(call: ast.Call, namespace: Namespace) -> bool:
    thing = namespace.get(call.func.id) if isinstance(call.func, ast.Name) else None
    module = getattr(thing, "__module__", None) or ""
    return callable(thing) and module.split(".")[0] == "tensorstone"


def _strange(call: ast.Call, namespace: Namespace) -> Iterator[Mistake]:
    """Each argument that a call of ours does not take."""
    if not _is_ours(call, namespace) or not isinstance(call.func, ast.Name):
        return
    parameters = inspect.signature(namespace[call.func.id]).parameters  # type: ignore[arg-type]
    if any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
        return
    takes = [name for name in parameters if name != "self"]
    for given in call.keywords:
        if given.arg and given.arg not in takes:
            yield Mistake(*misnamed(call.func.id, given.arg, takes), given.lineno)


def _tried(call: ast.Call, namespace: Namespace) -> Iterator[Mistake]:
    """The first value of a call that is wrong."""
    try:
        eval(compile(ast.Expression(call), "part", "eval"), dict(namespace))
    except Exception as error:
        yield Mistake(*said_of(error, namespace), call.lineno)
