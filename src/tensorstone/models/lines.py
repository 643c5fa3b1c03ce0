"""The lines of a workload's file where its layers and its optimiser are written.

Read from the text. Where the text does not make a line certain, there is none.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from tensorstone.models.model import Model
from tensorstone.models.placed import leaves

JOINS = ("Sequential", "Add", "Concat")


class LayerLines:
    """The calls in a file, matched with the layers of the model they make."""

    def __init__(self, source: bytes, model: Model) -> None:
        nodes = list(ast.walk(ast.parse(source)))
        self._every_call = [node for node in nodes if isinstance(node, ast.Call)]
        self._aliases = {
            alias.asname: alias.name
            for node in nodes
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
            if alias.asname
        }
        self._values = _values(nodes)
        self._returned = _returned(nodes)
        self._layers = self._matched(model)

    def of(self, path: str, kind: str) -> int | None:
        """Of the layer at this path; of the only call of its kind where that is not known."""
        if path in self._layers:
            return self._layers[path]
        calls = [call for call in self._every_call if self._name(call) == kind]
        return calls[0].lineno if len(calls) == 1 else None

    def _matched(self, model: Model) -> dict[str, int]:
        """The line of each layer's path, if the calls are those of the whole model in order."""
        models = [
            call
            for call in self._every_call
            if self._name(call) == "Model" and _says(call, model.name)
        ]
        if len(models) != 1:
            return {}
        try:
            calls = [call for part in _layers_of(models[0]) for call in self._calls(part)]
        except RecursionError:  # a function that calls itself, ended by something else
            return {}
        placed = list(leaves(model.chain))
        if [call and self._name(call) for call in calls] != [leaf.layer.kind for leaf in placed]:
            return {}
        return {leaf.path: call.lineno for leaf, call in zip(placed, calls, strict=True) if call}

    def _calls(self, written: ast.expr) -> Iterator[ast.Call | None]:
        """The calls that make the layers of an expression, in order; None for anything else."""
        match written:
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                for part in parts:
                    yield from self._calls(part)
            case ast.Starred(value=part):
                yield from self._calls(part)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                yield from self._calls(left)
                yield from self._calls(right)
            case ast.Name(id=name) if name in self._values:
                yield from self._calls(self._values[name])
            case ast.Call(args=parts) if self._name(written) in JOINS:
                for part in parts:
                    yield from self._calls(part)
            case ast.Call() if self._name(written) in self._returned:
                yield from self._calls(self._returned[self._name(written)])
            case ast.Call():
                yield written
            case _:
                yield None

    def _name(self, call: ast.Call) -> str:
        """What it calls, by the name it has in tensorstone.models."""
        match call.func:
            case ast.Name(id=name):
                return self._aliases.get(name, name)
            case ast.Attribute(attr=name):
                return name
        return ""


def _values(nodes: list[ast.AST]) -> dict[str, ast.expr]:
    """What each name stands for that is given a value once in the whole file."""
    bound = Counter(
        node.id if isinstance(node, ast.Name) else node.arg
        for node in nodes
        if isinstance(node, ast.arg) or (isinstance(node, ast.Name) and not _is_read(node))
    )
    found = {}
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if bound[name] == 1:
                found[name] = value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) if (
                bound[name] == 1
            ):
                found[name] = value
    return found


def _is_read(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Load)


def _returned(nodes: list[ast.AST]) -> dict[str, ast.expr]:
    """What functions return that are defined once and have one `return`."""
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
    defined = Counter(function.name for function in functions)
    found = {}
    for function in functions:
        returns = [n.value for n in ast.walk(function) if isinstance(n, ast.Return)]
        if defined[function.name] == 1 and len(returns) == 1 and returns[0] is not None:
            found[function.name] = returns[0]
    return found


def _says(call: ast.Call, name: str) -> bool:
    """Whether a call's first argument, or its `name`, is this text."""
    given = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "name")]
    return any(isinstance(value, ast.Constant) and value.value == name for value in given)


def _layers_of(call: ast.Call) -> list[ast.expr]:
    """The argument of Model(…) that holds its layers."""
    return [*call.args[2:], *(k.value for k in call.keywords if k.arg == "layers")]
