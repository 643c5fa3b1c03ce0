"""Python source that every room writes: numbers, arguments, the forward pass as statements."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tensorstone.models import layers as L
from tensorstone.models import recurrent as R
from tensorstone.models.named import source
from tensorstone.models.placed import Chain, Leaf, PlacedFork, PlacedUse, uses
from tensorstone.models.shapes import width_axis

# Layers that begin a statement; all others wrap the expression before them.
OPENERS = (L.Conv2D, L.Dense, L.Flatten, R.Embedding, R.Recurrent, R.LastStep, R.FirstLast)

# Calls within calls: old Pythons read no more than a hundred, and nobody reads half as many.
DEEPEST = 30

ROOTS = ("x", "net")  # what rooms call the variable of a forward pass, outside its forks

Unpacked = tuple[list[str], str]  # lines, and the expression that is their result


def number(value: float) -> str:
    """A number as a person types it: 5, 0.25, 1e-3, or the name of a block's parameter."""
    if isinstance(value, int):
        return source(value)
    text = repr(value)
    if "e" in text or (value and abs(value) < 0.01):
        mantissa, _, exponent = f"{value:e}".partition("e")
        return f"{float(mantissa):g}e{int(exponent)}"
    return text


def size(pair: object) -> str:
    """A pair of numbers, said once when both are the same: 5, or (3, 5)."""
    assert isinstance(pair, tuple)
    first, second = (number(n) for n in pair)
    return first if first == second else f"({first}, {second})"


def call(function: str, *given: str, **named: str | None) -> str:
    """`f(a, b, key=value)`; a keyword whose value is None is left to the framework's default."""
    return f"{function}({', '.join([*given, *(f'{k}={v}' for k, v in named.items() if v)])})"


def unless(default: object, value: object, text: str) -> str | None:
    """The text of an argument, or None where the framework's default already says it."""
    return None if value == default else text


def symmetric(padding: object) -> tuple[int, int] | None:
    """Padding that is the same on both sides of each axis, as (height, width)."""
    assert isinstance(padding, tuple)
    (top, bottom), (left, right) = padding
    return (top, left) if top == bottom and left == right else None


def camel(name: str) -> str:
    """`dense_stage` as a class is called: DenseStage."""
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


@dataclass(frozen=True)
class Say:
    """How a room says the pieces of a forward pass, each from the expression it is applied to.

    That expression may be a sum, so it must stand as an argument: `mean(x)`, never `x.mean()`.
    """

    layer: Callable[[Leaf, str], str]
    use: Callable[[PlacedUse, str], str]
    concat: Callable[[list[str]], str]
    add: Callable[[list[str]], str] = " + ".join
    # For sequences, where a room would not join them along the axis it joins maps and vectors by.
    concat_steps: Callable[[list[str]], str] | None = None
    # For sequences, where `+` of what a room calls one would not add them.
    add_steps: Callable[[list[str]], str] | None = None
    # For a layer whose call gives several results: the lines that take them apart, from what it
    # reads and the variable to write, and the expression that is the layer's own result.
    unpacked: Callable[[Leaf, str, str], Unpacked | None] = lambda leaf, x, variable: None
    openers: tuple[type[L.Layer], ...] = OPENERS  # (L.Layer,): a statement for every layer


def statements(chain: Chain, say: Say, variable: str = "x") -> list[str]:
    """The forward pass: one statement for each weighted layer with what follows it.

    The last one returns: `x = relu(conv(x))`, …, `return fc(x)`.
    """
    lines, result = _chain(chain, say, variable, variable)
    return [*lines, f"return {result}"]


def assignments(chain: Chain, say: Say, variable: str = "x") -> list[str]:
    """The same without the return: the result is left in `variable`."""
    lines, result = _chain(chain, say, variable, variable)
    return [*lines, *([f"{variable} = {result}"] if result != variable else [])]


def _chain(chain: Chain, say: Say, read: str, write: str) -> tuple[list[str], str]:
    """Statements, and the expression that is the chain's result (not yet assigned)."""
    lines: list[str] = []
    current = read

    def settle() -> None:
        nonlocal current
        if current not in (read, write):
            lines.append(f"{write} = {current}")
            current = write

    for part in chain.parts:
        match part:
            case Leaf():
                if isinstance(part.layer, say.openers) and not _step_for(part, current):
                    settle()
                if current.count("(") > DEEPEST:
                    settle()
                if unpacked := say.unpacked(part, current, write):
                    inner, current = unpacked
                    lines += inner
                else:
                    current = say.layer(part, current)
                if isinstance(part.layer, L.Flatten):
                    settle()
            case PlacedUse():
                settle()
                current = say.use(part, current)
            case PlacedFork():
                settle()
                inner, current = _fork(part, say, current, write)
                lines += inner
    return lines, current


def _step_for(leaf: Leaf, expression: str) -> bool:
    """Whether a dense layer reads one step of a sequence, `fc(x[:, -1])`: no line of its own."""
    return isinstance(leaf.layer, L.Dense) and bool(re.fullmatch(r"\w+\[[^][]+\]", expression))


def _fork(fork: PlacedFork, say: Say, read: str, write: str) -> tuple[list[str], str]:
    lines: list[str] = []
    ends: list[str] = []
    changing = [chain for chain in fork.chains if chain.parts]
    for chain in fork.chains:
        if not chain.parts:  # the path that changes nothing
            ends.append(read)
            continue
        if fork.join == "add" and len(changing) == 1:
            variable = "y" if write in ROOTS else f"{write}y"
        else:
            branch = f"branch{changing.index(chain) + 1}"
            variable = branch if write in ROOTS else f"{write}_{changing.index(chain) + 1}"
        inner, result = _chain(chain, say, read, variable)
        lines += inner
        if result != variable:
            lines.append(f"{variable} = {result}")
        ends.append(variable)
    if fork.join == "add":
        whole, by_step = say.add, say.add_steps
    else:
        whole, by_step = say.concat, say.concat_steps
    join = by_step if by_step and len(fork.outputs) == 2 else whole
    return lines, join(ends)


@dataclass(frozen=True)
class Definition:
    """A block written once: its name, its parameters, and one use to write the body from."""

    name: str
    parameters: tuple[str, ...]
    use: PlacedUse


Names = dict[str, Definition]  # by the path of the use


def definitions(
    chain: Chain, text: Callable[[PlacedUse], str], names: Names, width_wanted: bool
) -> list[Definition]:
    """The distinct blocks of a model, inner ones first; `names` learns which one each use is.

    Two uses share a definition when their `text` is the same (which may say the inner blocks,
    known by then, by name); a block whose body depends on more than its parameters gets a second,
    numbered definition rather than a wrong one. A parameter that the text does not mention is
    left out. `width_wanted`: the room's layers ask for their input's width.
    """
    found: dict[tuple[str, str], Definition] = {}
    versions: Counter[str] = Counter()
    for use in uses(chain):
        body = text(use)
        key = (use.block, body)
        if key not in found:
            versions[use.block] += 1
            suffix = str(versions[use.block]) if versions[use.block] > 1 else ""
            possible = [name for name in _given(use) if width_wanted or name != input_width(use)]
            said = tuple(name for name in possible if re.search(rf"\b{name}\b", body))
            found[key] = Definition(use.block + suffix, said, use)
        names[use.path] = found[key]
    return list(found.values())


def input_width(use: PlacedUse) -> str:
    """What a block calls the number of channels or features it reads."""
    return "in_channels" if len(use.inputs) == 3 else "in_features"


def use_arguments(use: PlacedUse, definition: Definition) -> str:
    """The numbers a use gives its block."""
    given = _given(use)
    return ", ".join(number(given[name]) for name in definition.parameters)


def _given(use: PlacedUse) -> dict[str, int]:
    """Every number a use could give, the input's width first."""
    return {input_width(use): use.inputs[width_axis(use.inputs)], **dict(use.arguments)}


def indented(lines: Iterable[str], depth: int = 1) -> str:
    """Lines joined, each pushed in by `depth` steps."""
    return "\n".join("    " * depth + line for line in lines)
