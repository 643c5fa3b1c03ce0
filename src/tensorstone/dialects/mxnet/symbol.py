"""Symbol's layers: one statement for every layer; blocks are functions of a symbol."""

from __future__ import annotations

from tensorstone.dialects.mxnet import recurrent
from tensorstone.dialects.mxnet.folding import MXNetFolding
from tensorstone.dialects.mxnet.operators import (
    check_tokens,
    leaves_padding_out,
    operator,
    own_padding,
    readable,
)
from tensorstone.dialects.shared.functions import helpers
from tensorstone.dialects.shared.writing import (
    Names,
    Say,
    Unpacked,
    assignments,
    call,
    definitions,
    number,
    statements,
    unless,
    use_arguments,
)
from tensorstone.models import layers as L
from tensorstone.models import recurrent as R
from tensorstone.models.model import Model
from tensorstone.models.placed import Chain, Leaf, PlacedUse, leaves, uses

BATCHNORM = "# By default gamma is fixed at 1 and epsilon is 1e-3, unlike Gluon's."
# What MXNet has no operator for.
HELPERS = {"silu": "def silu(x):\n    return x * mx.sym.sigmoid(x)"}
FLATTENS = "# FullyConnected flattens what it reads."


def describe(model: Model, version: str) -> dict[str, object]:
    """A function for each block, and the model's own statements."""
    return SymbolWriter(model, version).describe()


class SymbolWriter:
    def __init__(self, model: Model, version: str) -> None:
        self.version = version
        self.folded = MXNetFolding(model.chain, activated=False)
        self.names: Names = {}
        self.inside = False  # a block's layers carry the name of its use before their own
        self.cells = _cells(self.folded.chain)
        self.blocks = definitions(
            self.folded.chain,
            lambda use: "\n".join(self.body(use.body)),
            self.names,
            width_wanted=True,
        )

    def describe(self) -> dict[str, object]:
        remarks = self.remarks()
        functions = [
            {
                "name": name,
                "parameters": ["x", "features", "units", "name"],
                "body": recurrent.function_body(layer, self.version),
            }
            for name, layer in self.cells.values()
        ]
        functions += [
            {
                "name": block.name,
                "parameters": ["x", *block.parameters, "name"],
                "body": _remarked(self.body(block.use.body), remarks),
            }
            for block in self.blocks
        ]
        self.inside = False
        lines = assignments(self.folded.chain, self.say())
        layers = _remarked(lines, remarks)
        own = helpers(HELPERS, f"{functions} {layers}")
        return {"functions": functions, "layers": layers, "helpers": own}

    def body(self, chain: Chain) -> list[str]:
        self.inside = True
        return statements(chain, self.say())

    def remarks(self) -> dict[str, str]:
        """What a newcomer would stumble over, each said above the first line that holds it."""
        found = {"mx.sym.BatchNorm(": BATCHNORM}
        for path in self.folded.flattening[:1]:
            found[f'{path.rpartition(".")[2]}"'] = FLATTENS
        return found

    def say(self) -> Say:
        return Say(
            layer=self.expression,
            use=self.use,
            concat=lambda parts: f"mx.sym.concat({', '.join(parts)})",
            concat_steps=lambda parts: f"mx.sym.concat({', '.join(parts)}, dim=2)",
            unpacked=self.unpacked,
            openers=(L.Layer,),
        )

    def use(self, use: PlacedUse, x: str) -> str:
        definition = self.names[use.path]
        given = use_arguments(use, definition)
        return call(definition.name, x, *([given] if given else []), name=self.named(use.name))

    def unpacked(self, leaf: Leaf, x: str, variable: str) -> Unpacked | None:
        layer = leaf.layer
        if not isinstance(layer, R.Recurrent) or layer.sequence:
            return None
        units, run = number(layer.units), self.expression(leaf, x)
        return recurrent.last_output("mx.sym", layer, run, units, variable)

    def named(self, name: str) -> str:
        return f'f"{{name}}_{name}"' if self.inside else f'"{name}"'

    def expression(self, leaf: Leaf, x: str) -> str:
        """The layer applied to the symbol `x`."""
        layer, x = leaf.layer, readable("mx.sym", leaf, x)
        match layer:
            case L.Conv2D():
                return call(
                    "mx.sym.Convolution",
                    x,
                    num_filter=number(layer.channels),
                    kernel=_pair(layer.kernel),
                    stride=unless((1, 1), layer.stride, _pair(layer.stride)),
                    pad=unless((0, 0), own_padding(layer), _pair(own_padding(layer))),
                    num_group=unless(1, layer.groups, number(layer.groups)),
                    no_bias=unless(True, layer.bias, "True"),
                    name=self.named(leaf.name),
                )
            case L.Dense():
                return call(
                    "mx.sym.FullyConnected",
                    x,
                    num_hidden=number(layer.units),
                    flatten="False" if isinstance(layer, R.TimeDistributed) else None,
                    no_bias=unless(True, layer.bias, "True"),
                    name=self.named(leaf.name),
                )
            case R.Embedding():
                check_tokens(leaf, layer)
                return call(
                    "mx.sym.Embedding",
                    x,
                    input_dim=number(layer.vocabulary),
                    output_dim=number(layer.features),
                    name=self.named(leaf.name),
                )
            case R.Recurrent():
                function, _ = self.cells[recurrent.function_name(layer)]
                return recurrent.applied(leaf, layer, function, x, self.named(leaf.name))
            case L.BatchNorm():
                return call(
                    "mx.sym.BatchNorm",
                    x,
                    fix_gamma="False",
                    momentum=unless(0.9, layer.momentum, number(layer.momentum)),
                    eps=unless(1e-3, layer.epsilon, number(layer.epsilon)),
                    name=self.named(leaf.name),
                )
            case L.Dropout():
                return call("mx.sym.Dropout", x, p=number(layer.rate))
            case L.MaxPool2D() | L.AvgPool2D():
                return call(
                    "mx.sym.Pooling",
                    x,
                    pool_type='"max"' if isinstance(layer, L.MaxPool2D) else '"avg"',
                    kernel=_pair(layer.kernel),
                    stride=unless((1, 1), layer.stride, _pair(layer.stride)),
                    pad=unless((0, 0), own_padding(layer), _pair(own_padding(layer))),
                    count_include_pad="False" if leaves_padding_out(layer) else None,
                )
            case L.GlobalAvgPool2D():
                return call("mx.sym.Pooling", x, pool_type='"avg"', global_pool="True")
        return operator("mx.sym", leaf, x)


def _cells(chain: Chain) -> dict[str, tuple[str, R.Recurrent]]:
    """Each kind of recurrent layer with its function, named apart from the blocks' functions."""
    taken = {use.block for use in uses(chain)}
    found: dict[str, tuple[str, R.Recurrent]] = {}
    for leaf in leaves(chain):
        if isinstance(leaf.layer, R.Recurrent):
            kind = recurrent.function_name(leaf.layer)
            found.setdefault(kind, (f"{kind}_layer" if kind in taken else kind, leaf.layer))
    return found


def _pair(pair: object) -> str:
    assert isinstance(pair, tuple)
    return f"({', '.join(map(number, pair))})"


def _remarked(lines: list[str], remarks: dict[str, str]) -> list[str]:
    """The lines with each remark above the first line it is about; said remarks are taken out."""
    result: list[str] = []
    for line in lines:
        for mark in [mark for mark in remarks if mark in line]:
            result.append(remarks.pop(mark))
        result.append(line)
    return result
