"""A result as a frame, a picture and HTML."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any

import polars
import pytest
from made_up import CELL, FACTS, comparison, facts
from msgspec.structs import replace

import tensorstone as stone
from tensorstone.report.ranking_plot import ranking_plot
from tensorstone.report.rendered import Shown
from tensorstone.report.showing import shown
from tensorstone.report.tidy import COLUMNS
from tensorstone.results.comparison import Comparison
from tensorstone.results.estimate import Estimate

HOSTILE = "<b>Bold</b> & <script>alert(1)</script> [red]x[/red]"


def ranked(title: str = "LeNet") -> Comparison:
    """Two dialects that were timed, the first with an interval."""
    steps = {
        "pytorch/eager": Estimate(0.010, 0.009, 0.012, 5),
        "jax/flax": Estimate(0.020, None, None, 2),
    }
    cells = [
        replace(CELL, dialect=name, metrics={"step_s": step}, rank=rank, ratio=step)
        for rank, (name, step) in enumerate(steps.items(), 1)
    ]
    run = facts(7, workload=replace(FACTS.workload, title=title))
    return comparison(cells, run)


def test_a_frame_has_a_row_for_each_cell_and_metric(result: stone.Result) -> None:
    frame = result.frame()
    assert isinstance(frame, polars.DataFrame)
    assert tuple(frame.columns) == COLUMNS
    (cell,) = result.cells
    assert set(frame["metric"]) >= set(cell.metrics)
    assert frame.select("dialect", "metric").is_unique().all()
    (step,) = frame.filter(polars.col("metric") == "step_s").to_dicts()
    found = cell.metrics["step_s"]
    assert [step[key] for key in ("value", "low", "high", "n", "kind")] == [
        found.value, found.low, found.high, found.n, found.kind,
    ]  # fmt: skip
    assert (step["unit"], step["run"], step["uuid"]) == ("s", 1, result.facts.uuid)


def test_a_frame_of_several_runs_holds_them_all(result: stone.Result) -> None:
    again = stone.prove("lenet", "null", progress=False)
    both = stone.show(result.numbers[0], again.numbers[0])
    assert set(both.frame()["run"]) == {1, 2}


def test_a_ranking_is_drawn_with_its_intervals() -> None:
    spec = drawn(ranked())
    (rows,) = spec["datasets"].values()
    by_name = {row["dialect"]: row for row in rows}
    assert (by_name["pytorch/eager"]["low"], by_name["pytorch/eager"]["high"]) == (9.0, 12.0)
    assert by_name["jax/flax"]["low"] == by_name["jax/flax"]["ms"] == 20.0
    rules = [layer for layer in spec["layer"] if layer["mark"]["type"] == "rule"]
    assert [rule["encoding"][axis]["field"] for rule in rules for axis in ("x", "x2")] == [
        "low",
        "high",
    ]
    about = " ".join(spec["title"]["subtitle"])
    assert "95 % confidence intervals over 2–5 processes" in about and "A <fast> CPU" in about


def test_a_picture_can_be_made_without_a_browser() -> None:
    import vl_convert

    svg = vl_convert.vegalite_to_svg(drawn(ranked(HOSTILE)))
    assert "<script>" not in svg and "&lt;script" in svg


def test_a_title_cannot_end_the_script_that_draws_the_picture() -> None:
    chart = ranking_plot(ranked("x</script><!-- y"))
    assert chart is not None
    page = chart._repr_mimebundle_()["text/html"]  # type: ignore[operator]
    assert page.count("</script>") == ranked_page_scripts()
    assert "<!--" not in page


def ranked_page_scripts() -> int:
    chart = ranking_plot(ranked())
    assert chart is not None
    return int(chart._repr_mimebundle_()["text/html"].count("</script>"))  # type: ignore[operator]


def test_what_was_not_timed_is_not_drawn(result: stone.Result) -> None:
    with pytest.raises(stone.StoneError, match="nothing to draw"):
        result.plot()


def test_html_holds_words_and_no_markup_of_theirs(tmp_path: Any) -> None:
    parts = Shown(shown(ranked(HOSTILE), tmp_path / "ledger.sqlite"))
    reader = Reader()
    reader.feed(parts._repr_html_())
    assert reader.tags <= {"pre", "span"}
    text = " ".join("".join(reader.text).split())
    assert "<script>alert(1)</script>" in text and "[red]x[/red]" in text
    assert "A <fast> CPU" in text
    assert str(parts).replace("\n", "").replace(" ", "") in text.replace(" ", "")


def test_a_program_is_a_string_that_a_notebook_colours() -> None:
    program = stone.translate("lenet", "pytorch/eager")
    assert isinstance(program, str)
    compile(program, "program", "exec")
    reader = Reader()
    reader.feed(program._repr_html_())
    assert "".join(reader.text).strip() == program.strip()
    assert "span" in reader.tags


def drawn(done: Comparison) -> dict[str, Any]:
    chart = ranking_plot(done)
    assert chart is not None
    spec: dict[str, Any] = json.loads(json.dumps(chart.to_dict()))
    return spec


class Reader(HTMLParser):
    """Which tags there are, and the text between them."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.text.append(data)
