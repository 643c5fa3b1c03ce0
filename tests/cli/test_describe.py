"""`stone describe`: counts that are known from elsewhere, of own files too."""

from __future__ import annotations

from cli.conftest import SMALL, Stone
from tensorstone.report.json_fields import BY_NAME


def test_lenet(stone: Stone) -> None:
    said = stone("describe", "LeNet", "--json").json
    assert set(said) == {"schema", "command", *BY_NAME["description"].fields}
    assert set(said["layers"][0]) == set(BY_NAME["described layer"].fields)
    layers = {layer["name"]: layer for layer in said["layers"]}
    assert layers["conv1"]["output"] == [6, 24, 24]
    assert layers["conv1"]["multiplications"] == 6 * 24 * 24 * 5 * 5
    assert layers["conv2"]["multiplications"] == 16 * 10 * 10 * 6 * 3 * 3
    assert layers["fc1"]["multiplications"] == 400 * 120
    assert said["parameters"] == sum(layer["parameters"] for layer in said["layers"]) == 60_170
    assert said["flops"] == 2 * said["multiplications"]


def test_published_counts(stone: Stone) -> None:
    """Recurrent layers by hand; AlexNet with groups, joins of paths."""
    said = stone("describe", "bilstm-imdb", "--json").json
    (first,) = (layer for layer in said["layers"] if layer["name"] == "lstm1")
    assert first["multiplications"] == 2 * 256 * 4 * 128 * (64 + 128)
    joined = stone("describe", "googlenet", "--json").json
    assert sum(layer["kind"] == "concat" for layer in joined["layers"]) == 9


def test_a_file_as_a_table(stone: Stone) -> None:
    said = stone("describe", SMALL)
    assert said.code == 0 and said.err == ""
    assert "conv1" in said.out and "optimiser: " in said.out
    assert max(map(len, said.out.splitlines())) <= 100
