"""Results as pictures in files: sweeps' curves, rankings with intervals, learning curves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tensorstone.analysis.sweep import sweeps
from tensorstone.report import messages
from tensorstone.report.plots import sweep_chart
from tensorstone.report.ranking_plot import curves_plot, ranking_plot
from tensorstone.results.comparison import Assembled, Comparison, Training
from tensorstone.support.errors import StoneError
from tensorstone.support.messages import file_not_written

if TYPE_CHECKING:
    import altair

ENDINGS = (".svg", ".png", ".html")
SHARPNESS = 2  # pixels of a PNG for each of the picture's own


def charts(results: Sequence[Assembled]) -> list[altair.TopLevelMixin]:
    """Everything there is to draw, sweeps first."""
    comparisons = [run for run in results if isinstance(run, Comparison)]
    trainings = [run for run in results if isinstance(run, Training)]
    return [
        *(c for points in sweeps(comparisons) if (c := sweep_chart(points))),
        *(c for one in comparisons if (c := ranking_plot(one))),
        *(c for one in trainings if (c := curves_plot(one))),
    ]


def check(path: Path) -> None:
    """A file that no picture can be written to is better known before the work."""
    if path.suffix.lower() not in ENDINGS:
        raise StoneError(*messages.no_picture(path, ENDINGS))
    if not path.resolve().parent.is_dir():
        raise StoneError(*messages.no_picture_folder(path))


def save(results: Sequence[Assembled], path: Path) -> list[Path]:
    """One file, or a numbered one for each picture where there are several."""
    drawn = charts(results)
    several = len(drawn) > 1
    paths = [
        path.with_name(f"{path.stem}-{number}{path.suffix}") if several else path
        for number in range(1, len(drawn) + 1)
    ]
    for chart, file in zip(drawn, paths, strict=True):
        _save(chart, file)
    return paths


def _save(chart: altair.TopLevelMixin, path: Path) -> None:
    kind = path.suffix.lower()[1:]
    # A page has what draws it in itself: it is read where there is no network too.
    more = {"png": {"scale_factor": SHARPNESS}, "html": {"inline": True}}.get(kind, {})
    try:
        chart.save(str(path), format=kind, **more)  # type: ignore[arg-type]
    except OSError as error:
        raise StoneError(*file_not_written(path, error.strerror)) from None
