"""Notebooks in a real kernel: the example, a workload made in a cell, and the stop button."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import psutil
import pytest
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient
from racing import MARK, marked, wait_for

EXAMPLE = Path(__file__).parents[2] / "examples" / "compare.ipynb"
WORKLOAD = """
import tensorstone as stone
from tensorstone.models import *
mine = Workload(
    name="made-here",
    title="Made <b>here</b>",
    model=Model("Made", (8,), [Dense(4), ReLU(), Dense(2)]),
    recipe=Recipe(
        loss="softmax-cross-entropy", optimiser=SGD(rate=0.1), batch=4, epochs=1, metric="accuracy"
    ),
    data=Data("random", samples=64),
)
"""


@pytest.mark.slow
@pytest.mark.frameworks("pytorch", "jax")
def test_the_example_runs_from_top_to_bottom(tmp_path: Path) -> None:
    notebook = nbformat.read(EXAMPLE, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "keep it without outputs"
    compared = next(cell for cell in notebook.cells if 'budget="30s"' in cell.source)
    compared.source = compared.source.replace("30s", "5s")  # two rounds, whatever they take
    cells = [cell for cell in run(notebook, tmp_path).cells if cell.cell_type == "code"]
    said = {cell.source: html_of(cell) + text_of(cell) for cell in cells}
    ranking = next(shown for source, shown in said.items() if source.startswith("result = "))
    assert "pytorch/eager" in ranking and "jax/flax" in ranking and "rank" in ranking
    assert "a training step, ms" in said["result.plot()"]
    proofs = next(shown for source, shown in said.items() if source.startswith("proofs = "))
    assert "pytorch/eager" in proofs and "jax/flax" in proofs and "unequal" not in proofs
    assert "tiny-cnn" in said["stone.runs()"] and "lenet" in said["stone.runs()"]
    assert (tmp_path / "data" / "ledger.sqlite").is_file()


def test_a_workload_made_in_a_cell_is_proven_and_timed(tmp_path: Path) -> None:
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_code_cell(source)
            for source in (
                WORKLOAD,
                "stone.translate(mine, 'pytorch/eager')",
                "done = stone.compare(mine, 'null', budget=2, threads=1)\ndone",
                "print(done.ok, done.facts.workload.title)",
            )
        ]
    )
    _, program, compared, printed = run(notebook, tmp_path).cells
    assert "Linear" in html_of(program) and "<span" in html_of(program)
    assert printed.outputs[0]["text"] == "True Made <b>here</b>\n"
    bars = [out for out in compared.outputs if out.output_type == "display_data"]
    nothing = {"text/html": "", "text/plain": ""}
    assert bars and all(out["data"] == nothing for out in bars)  # gone when it is done
    assert not [out for out in compared.outputs if out.output_type == "stream"]


def test_a_bar_shows_how_far_it_is(kernel: Any) -> None:
    kernel.execute(WORKLOAD, reply=True, timeout=60)
    asked = kernel.execute("stone.compare(mine, 'null', budget=2, threads=1).ok")
    shown = [found["text/html"] for found in displayed(kernel, asked)]
    values = [float(value) for html in shown for value in re.findall(r'value="([\d.]+)"', html)]
    assert len(values) > 3 and max(values) <= 1
    for words in ("proving", "made-here in null/nothing: ok", "timing made-here", "round 1"):
        assert any(words in html for html in shown), words


def displayed(client: Any, asked: str) -> Iterator[dict[str, str]]:
    """What is displayed while a request is answered."""
    while True:
        message = client.get_iopub_msg(timeout=60)
        if message["parent_header"].get("msg_id") != asked:
            continue
        if message["msg_type"] in ("display_data", "update_display_data"):
            yield message["content"]["data"]
        if message["content"].get("execution_state") == "idle":
            return


TIMING = "stone.compare(mine, 'null', budget='5m', threads=1)"
PROVING = "stone.prove(mine, 'rogue/hang')"


@pytest.mark.parametrize("call", [TIMING, PROVING])
def test_the_stop_button_ends_every_process_and_the_kernel_goes_on(
    kernel: Any, mark: str, call: str
) -> None:
    kernel.execute(WORKLOAD, reply=True, timeout=60)
    # By default a kernel refuses, for a moment, what is asked right after an error.
    asked = kernel.execute(call, stop_on_error=False)
    assert wait_for(lambda: len(workers(mark)) > 0, 60)
    time.sleep(0.5)  # in the middle of it
    kernel.parent.interrupt_kernel()
    reply = answer(kernel, asked)
    assert (reply["status"], reply["ename"]) == ("error", "KeyboardInterrupt")
    assert wait_for(lambda: not workers(mark), 15), workers(mark)
    wanted = {"kept": "[run.facts.status for run in stone.runs()]"}
    content = kernel.execute("1", reply=True, timeout=60, user_expressions=wanted)["content"]
    kept = content["user_expressions"]["kept"]["data"]["text/plain"]
    assert kept == ("['interrupted']" if call == TIMING else "[]")


@pytest.fixture
def kernel(mark: str) -> Iterator[Any]:
    """A kernel's client; whatever the kernel starts carries the mark."""
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=60)
    client.parent = manager
    yield client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


@pytest.fixture
def mark(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    monkeypatch.setenv(MARK, tmp_path.name)
    return tmp_path.name


def workers(mark: str) -> list[psutil.Process]:
    """What a kernel has started, and left."""
    return [process for process in marked(mark) if "ipykernel" not in " ".join(process.cmdline())]


def answer(client: Any, asked: str) -> Any:
    while True:
        reply = client.get_shell_msg(timeout=60)
        if reply["parent_header"].get("msg_id") == asked:
            return reply["content"]


def run(notebook: Any, folder: Path) -> Any:
    place = {"metadata": {"path": str(folder)}}
    return NotebookClient(notebook, timeout=600, kernel_name="python3", resources=place).execute()


def html_of(cell: Any) -> str:
    return "".join(out["data"].get("text/html", "") for out in cell.outputs if "data" in out)


def text_of(cell: Any) -> str:
    return "".join(str(out.get("data", {}).get("text/plain", "")) for out in cell.outputs)
