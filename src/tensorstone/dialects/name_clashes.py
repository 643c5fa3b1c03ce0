"""Names that a workload gives an emitted program and that would hide a name the program needs."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from tensorstone.dialects.shared.writing import camel
from tensorstone.models.model import Model
from tensorstone.models.placed import leaves, uses

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def workload_names(model: Model) -> set[str]:
    """The names that the workload's own model, blocks, parameters and layers give a program."""
    found = {model.name, *(leaf.name for leaf in leaves(model.chain))}
    for use in uses(model.chain):
        found |= {use.block, use.name, *(name for name, _ in use.arguments)}
    return found | {camel(name) for name in found}


def first_clash(tree: ast.Module, names: set[str]) -> str | None:
    """One of the names that means two things in the program; None if there is none."""
    needed = set(_defined(tree.body)) & names
    twice = [name for name in needed if list(_defined(tree.body)).count(name) > 1]
    if twice:
        return min(twice)
    bound = {name for function in _functions(tree) for name in _bound(function)}
    builtin = {name for name in names & (bound | needed) if hasattr(builtins, name)}
    if builtin:
        return min(builtin)
    for function in _functions(tree):
        given, assigned = _arguments(function), set(_assigned(function))
        arguments = set(given)
        again = {name for name in arguments if given.count(name) > 1}
        wrong = names & (again | (arguments & assigned) | ((arguments | assigned) & needed))
        if wrong:
            return min(wrong)
    return None


def _defined(body: list[ast.stmt]) -> Iterator[str]:
    """What a module imports and defines. What its `__main__` assigns is its own."""
    for node in body:
        match node:
            case ast.Import() | ast.ImportFrom():
                for alias in node.names:
                    yield alias.asname or alias.name.partition(".")[0]
            case ast.FunctionDef() | ast.ClassDef():
                yield node.name


def _functions(tree: ast.Module) -> list[Function]:
    return [node for node in ast.walk(tree) if isinstance(node, Function)]


def _bound(function: Function) -> set[str]:
    return {*_arguments(function), *_assigned(function)}


def _arguments(function: Function) -> list[str]:
    given = function.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    return [argument.arg for argument in every if argument]


def _assigned(function: Function) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
