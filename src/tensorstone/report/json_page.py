"""docs/json.md, made from the table of metrics and the fields of `--json`: `make docs`."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from tensorstone.report.json_fields import SECTIONS, Section
from tensorstone.results.metrics import TABLE

HEAD = """# What `--json` prints

<!-- Made by `make docs` from results/metrics.py and report/json_fields.py: change those. -->

Every command takes `--json` and then prints one JSON object on standard output, and nothing else
there. The exit code is 0 if all is done, 1 if something measured fell short, 2 if the command could
not do its work. JSON has no infinity: it is null.
"""
HOW = {
    "mean": "geometric mean over processes, 95 % interval",
    "seen": "median over processes, least and most",
    "per-step": "median over processes, least and most",
    "percentile": "over all calls, 95 % interval",
    "counted": "counted",
    "training": "over seeds",
}


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *_metrics(), *(line for s in SECTIONS for line in _section(s))])


def _metrics() -> Iterator[str]:
    yield "## The table of metrics"
    yield ""
    yield "The keys of a cell's `metrics`, and `metric` in an export."
    yield ""
    yield "| key | unit | better | meaning | measured | how samples become one figure |"
    yield "|---|---|---|---|---|---|"
    for metric in TABLE:
        unit = metric.unit or "the metric's"
        yield (
            f"| `{metric.key}` | {unit} | {metric.better} | {metric.meaning} | {metric.measured} "
            f"| {HOW[metric.how]} |"
        )
    yield ""


def _section(section: Section) -> Iterator[str]:
    yield f"## {section.name}"
    yield ""
    yield section.about
    yield ""
    yield "| key | type | unit | meaning |"
    yield "|---|---|---|---|"
    for key, field in section.fields.items():
        yield f"| `{key}` | {field.type} | {field.unit} | {field.meaning} |"
    yield ""


if __name__ == "__main__":
    sys.stdout.write(page())
