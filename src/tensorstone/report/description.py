"""A workload's layers as a table, and the rest of it line by line."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from tensorstone.report.tables import FittedTable, table
from tensorstone.report.units import count
from tensorstone.results.description import Description

COUNTED = (
    "multiplications: products of inputs with weights, of one sample, forwards. A training step is "
    "counted as three forward passes."
)


def description_parts(found: Description) -> Iterator[RenderableType]:
    yield _layers(found)
    yield ""
    step = f"{count(found.step_flops)} for a training step of {found.batch}, about"
    where = {
        "here": "on this machine",
        "generated": "generated when it is used",
        "to-get": f"not here; run: stone data get {found.data}",
        "none": "no real data, synthetic only",
    }[found.data_state]
    for head, said in (
        ("parameters", f"{found.parameters:,}"),
        ("FLOPs", f"{count(found.flops)} for a sample forwards; {step}"),
        ("loss", found.loss),
        ("optimiser", found.optimiser),
        ("batch, epochs", f"{found.batch}, {found.epochs}"),
        ("metric", found.metric),
        ("initial weights", found.initial_weights),
        ("data", f"{found.data}, {found.samples:,} training samples ({where})"),
        ("synthetic inputs", found.values),
        ("published", found.source),
    ):
        if said:
            yield Text.assemble((f"{head}: ", "dim"), said)
    yield Text(COUNTED, style="dim")


def _layers(found: Description) -> FittedTable:
    shown = table(f"{found.title} ({found.name})")
    shown.add_column("layer")
    shown.add_column("kind")
    shown.add_column("settings", prose=True, shed=1)
    for head in ("output", "parameters", "multiplications"):
        shown.add_column(head, "right")
    shown.add_row(Text("input"), "", "", _shape(found.input), "", "")
    for layer in found.layers:
        counts = (layer.parameters, layer.multiplications)
        numbers = [f"{number:,}" if number else "" for number in counts]
        name = (Text(layer.name), layer.kind, Text(layer.settings))
        shown.add_row(*name, _shape(layer.output), *numbers)
    total = (f"{found.parameters:,}", f"{found.multiplications:,}")
    shown.add_row("total", "", "", "", *total, style="bold")
    return shown


def _shape(shape: tuple[int, ...]) -> str:
    return "×".join(map(str, shape))
