"""What `models` says to the author of a workload: a pair for each mistake, what happened and what
to do next.

`owner` and `name` are the layer's, block's or model's as its author wrote it. Shapes come as
text, 16×5×5.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tensorstone.support.errors import Message

# Finding a workload.


WHERE_WORKLOADS_STAND = "for all names, run: stone list workloads"
WHERE_LAYERS_STAND = "for all layers, run: stone list layers"


def no_such_workload(word: str, near: str) -> Message:
    return (
        f"there is no workload called {word!r}",
        f"{near} (or give the path of your own .py file)",
    )


def is_a_folder(word: str) -> Message:
    return f"{word} is a folder", "give the .py file in it that defines the workload"


def no_such_file(path: Path, near: str) -> Message:
    return f"there is no file {path}", near


def no_such_folder(path: Path) -> str:
    return f"there is no folder {path} either: check the path"


NO_PYTHON_FILE = "there is no .py file in that folder: check the path"


def not_readable(path: Path, reason: object) -> Message:
    return f"{str(path)[:200]} cannot be read: {reason}", "check the path and its permissions"


def no_regular_file(path: Path) -> Message:
    return f"{path} cannot be read: it is a pipe or a device", "give the path of a .py file"


def file_too_large(path: Path, size: float, largest: int) -> Message:
    return (
        f"{path} has {size:.0f} MiB: it is not a workload file",
        f"a workload file is Python source of at most {largest} MiB",
    )


# Running a workload file.


def not_python(path: Path, error: str) -> Message:
    return f"{path} is not Python source: {error}", "save it as UTF-8 text"


def in_line(path: Path, line: int, message: str, hint: str, shown: str) -> Message:
    """One mistake; with the line's text before what to do."""
    if not shown:
        return f"{path}:{line}: {message}", hint or "correct the file"
    return f"{path}:{line}: {message}", (
        f"{shown}\n  {hint}" if hint else f"correct the line: {shown}"
    )


def in_lines(path: Path, told: Sequence[tuple[int | None, str, str, str]]) -> Message:
    """Several: line, message, what to do, and the line's text."""
    parts = []
    for line, message, hint, shown in told:
        parts.append(f"line {line}: {message}")
        parts += [f"    {text}" for text in (shown, hint) if text]
    return f"{path} has {len(told)} mistakes", "\n  ".join(parts)


STOPS_THE_PROGRAM = "the file stops the program", "remove the call of exit()"


def not_defined(name: str, near: str) -> Message:
    return f"{name} is not defined", near


def no_module(name: str, near: str) -> Message:
    return (
        f"there is no module {name} here",
        near or "a workload file may import tensorstone, NumPy and the standard library",
    )


def module_lacks(module: str, name: str, near: str) -> Message:
    return f"{module} has no {name}", near


def no_argument(name: str, argument: str, near: str, takes: Sequence[str]) -> Message:
    listed = _takes(name, takes)
    return f"{name} has no argument {argument}", f"{near} {listed}" if near else listed


def called_wrongly(name: str, error: str, takes: Sequence[str]) -> Message:
    return f"{name} {error}", _takes(name, takes)


def _takes(name: str, arguments: Sequence[str]) -> str:
    return f"{name} takes {', '.join(arguments)}"


def file_raised(kind: str, text: str) -> Message:
    return f"the file raised {kind}: {text}" if text else f"the file raised {kind}", ""


def here_that_is(ours: str) -> str:
    """The hint to a word of another framework."""
    return f"here that is {ours}"


# What a workload file defines.


def defines_no_workload(path: Path) -> Message:
    return (
        f"{path} defines no workload",
        "end it with workload = Workload(…); see docs/workloads.md",
    )


def defines_several(path: Path, names: Sequence[str], count: int) -> Message:
    return (
        f"{path} defines {count} workloads: {', '.join(names)}",
        "call the one you mean `workload`",
    )


def not_a_workload(path: Path, what: str) -> Message:
    return (
        f"{path}: workload is {what}, not a Workload",
        "write workload = Workload(name=…, title=…, model=…, recipe=…, data=…)",
    )


def name_in_catalogue(where: str, name: str) -> Message:
    return (
        f"{where}the workload is called {name}, but differs from the catalogue's",
        f"give it another name, such as my-{name}: results are kept by name",
    )


# A value of a wrong kind.


def not_whole(owner: str, key: str, value: object, least: int) -> Message:
    division = "; // divides whole numbers, / makes fractions" if isinstance(value, float) else ""
    return (
        f"{owner}: {key} is {value!r}, not a whole number",
        f"give {key} a whole number of at least {least}{division}",
    )


def not_a_number(owner: str, key: str, value: object) -> Message:
    return f"{owner}: {key} is {value!r}, not a finite number", f"give {key} a finite number"


def too_small(owner: str, key: str, value: float, least: float) -> Message:
    return f"{owner}: {key} is {_plain(value)}, below {_plain(least)}", (
        f"give {key} at least {_plain(least)}"
    )


def too_large(owner: str, key: str, value: float, below: float) -> Message:
    return (
        f"{owner}: {key} is {value:g}, not below {below:g}",
        f"give {key} less than {below:g}",
    )


def _plain(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:g}"


def zero(owner: str, key: str) -> Message:
    return f"{owner}: {key} is 0", f"give {key} a number above 0"


def not_a_flag(owner: str, key: str, value: object) -> Message:
    return f"{owner}: {key} is {value!r}, neither True nor False", f"give {key} True or False"


def unknown_choice(owner: str, key: str, value: object, near: str) -> Message:
    return f"{owner}: unknown {key} {value!r}", near


def not_a_word(owner: str, key: str, value: object) -> Message:
    return (
        f"{owner}: {key} cannot be {value!r}",
        f"write the {key} in small letters, digits and hyphens: my-net",
    )


def not_a_line(owner: str, key: str, value: object) -> Message:
    return (
        f"{owner}: {key} is {value!r}, not one line of text",
        f"give {key} one line of printable text",
    )


def breaks_docstring(owner: str, key: str) -> Message:
    return (
        f"{owner}: {key} has a double quote or a backslash in it",
        "it stands in the docstring of every program: leave them out",
    )


def wrong_kind(owner: str, key: str, given: str, wanted: str) -> Message:
    return f"{owner}: {key} is {given}, not a {wanted}", f"write {key}={wanted}(…)"


# Names.


def not_an_identifier(name: object, what: str) -> Message:
    return (
        f"{name!r} cannot be {what}'s name",
        "use letters, digits and underscores, a letter first",
    )


def name_has_meaning(name: str, what: str) -> Message:
    return (
        f"{name} cannot be {what}'s name: it means something in Python or in a framework",
        f"choose another name, such as {name.strip('_')}1",
    )


def two_layers(name: str) -> Message:
    return f"two layers are called {name}", "give each layer its own name"


def model_named_as_block(model: str, block: str) -> Message:
    return (
        f"{model}: the model and the block {block} would be two classes with the same name",
        "give one of them another name",
    )


# How layers are put together.


def no_layers(model: str) -> Message:
    return f"{model} has no layers", "give it at least one"


def not_a_layer(part: object) -> Message:
    return f"{part!r} is not a layer", "build models from the layers of stone.models"


def class_for_layer(kind: str) -> Message:
    return f"{kind} is a class, and a layer is wanted here", f"write {kind}(…), with brackets"


def thing_for_layer(thing: str) -> Message:
    return f"{thing} is no layer, and a layer is wanted here", "give layers or lists of them"


def block_called_wrongly(block: str, error: object, takes: Sequence[str]) -> Message:
    return f"block {block}: {error}", f"it takes {', '.join(takes)}"


def block_returns_nothing(block: str) -> Message:
    return f"block {block} returns nothing", "return its layers"


def variable_parameters(block: str, parameter: object) -> Message:
    return (
        f"block {block}: {parameter} stands for any number of arguments",
        "name each parameter; every one is a whole number",
    )


def parameter_name_taken(block: str, key: str) -> Message:
    return (
        f"block {block}: no parameter may be called {key}, which every block has of its own",
        "choose another name",
    )


def not_the_blocks_own(layer: str, number: str) -> Message:
    return (
        f"{layer} uses {number}, which is not a parameter of the block it stands in",
        f"give the block a parameter for {number}",
    )


def no_path(name: str) -> Message:
    return f"{name}: there is no path to join", "give it at least one path"


def paths_differ(name: str, join: str, shapes: Sequence[str]) -> Message:
    return (
        f"{name}: cannot {join} paths of shape {' and '.join(shapes)}",
        "added paths must agree in every number; concatenated ones in all but the channels",
    )


def flattened_differently(name: str) -> Message:
    return (
        f"{name}: adds a flattened map to a vector that comes from elsewhere",
        "frameworks flatten in different orders, so the sum would differ between them; "
        "put a Dense layer on the flattened path first",
    )


# Settings of layers.


def padding_word(owner: str, given: str) -> Message:
    return (
        f"{owner}: padding is {given!r}, which frameworks apply to different sides",
        "give numbers: padding=1 keeps the size under a 3×3 kernel, 2 under 5×5",
    )


def not_a_pair(owner: str, key: str, value: object, kind: str) -> Message:
    return (
        f"{owner}: {key} is {value!r}, neither one number nor two",
        f"give {kind} a {key} such as 3 or (3, 5): height, then width",
    )


def too_many_biases(owner: str, biases: int) -> Message:
    return (
        f"{owner}: {biases} biases, and a cell has places for two",
        "give biases=1, or biases=2 for one on each side",
    )


def second_bias_without_place(owner: str) -> Message:
    return (
        f"{owner}: two biases, and both would be added to the same sums",
        "give biases=1, or reset_after=True, where the second one has a place of its own",
    )


# Shapes.


def not_an_input_shape(model: str, inputs: object) -> Message:
    shapes = "(features,) nor (time, features) nor (channels, height, width)"
    hint = "give it without the batch"
    if isinstance(inputs, int):
        hint = f"write ({inputs},), with the comma"
    return f"{model}: the input shape {inputs!r} is neither {shapes}", hint


def embedding_not_first(model: str, layer: str) -> Message:
    return (
        f"{model}: {layer} is not the first layer of an input of (time,)",
        "an Embedding reads tokens, which only a model's input can be: put it first, and give "
        "the model the input (time,)",
    )


def differs_over_sequences(name: str, kind: str) -> Message:
    return (
        f"{name}: frameworks compute {kind} over a sequence in different ways",
        "put it after LastStep() or Flatten()",
    )


def dense_of_sequence(name: str, shape: str) -> Message:
    return (
        f"{name}: Dense wants a flat input but gets {shape}",
        "put TimeDistributed(…) in its place, or LastStep() or Flatten() before it",
    )


def dense_of_map(name: str, shape: str) -> Message:
    return (
        f"{name}: Dense wants a flat input but gets {shape}",
        "put Flatten() or GlobalAvgPool2D() before it",
    )


def wants_sequence(name: str, kind: str, shape: str) -> Message:
    return (
        f"{name}: {kind} wants time × features but gets {shape}",
        "give the model an input of (time, features), or begin it with Embedding(…); "
        "a recurrent layer before it must have sequence=True",
    )


def wants_map(name: str, kind: str, shape: str) -> Message:
    return (
        f"{name}: {kind} wants channels × height × width but gets {shape}",
        "move it before Flatten() or the first Dense layer",
    )


def groups_do_not_divide(name: str, count: int, which: str, groups: int) -> Message:
    return (
        f"{name}: {count} {which} channels do not split into {groups} groups",
        "choose groups that divide both channel counts",
    )


def kernel_too_large(name: str, kernel: int, size: str, padded: int | None) -> Message:
    room = f" (padded to {padded})" if padded else ""
    return (
        f"{name}: kernel {kernel} is larger than its input {size}{room}",
        "make the kernel smaller, pad the input, or drop a pooling or stride before it",
    )


def padding_alone(name: str, padding: int, kernel: int) -> Message:
    return (
        f"{name}: padding {padding} leaves windows with nothing but padding",
        f"keep the padding below the kernel's {kernel}",
    )


def array_too_large(name: str, what: str, shape: str, count: int) -> Message:
    return (
        f"{name}: {what} of {shape} would be {count:,} numbers",
        "arrays stay below 2³¹ numbers: make the layer, or its input, smaller",
    )


# The recipe, the data, and the workload as a whole.


def metric_of_another_loss(metric: str, loss: str) -> Message:
    return (
        f"Recipe: {metric} says nothing about a model trained on {loss}",
        "give metric accuracy with a cross-entropy; mse, mae or r2 with the other losses",
    )


def unknown_optimiser(optimiser: object) -> Message:
    return (
        f"Recipe: unknown optimiser {optimiser!r}",
        "use SGD(…), Momentum(…), Adam(…) or RMSprop(…)",
    )


def low_not_below_high(low: float, high: float) -> Message:
    return (
        f"Data: low is {low:g}, not below high, which is {high:g}",
        "give low the lowest value and high the highest",
    )


def parameters_differ(workload: str, counted: int, said: int) -> Message:
    return (
        f"{workload}: the model has {counted:,} parameters, not the {said:,} it says",
        "correct a layer, or the workload's `parameters`",
    )


def not_scores(workload: str, outputs: str) -> Message:
    return (
        f"{workload}: softmax cross-entropy wants a score for each class "
        f"but the model ends with {outputs}",
        "end it with Flatten() or GlobalAvgPool2D() and Dense(classes)",
    )


def batch_not_filled(workload: str, samples: int, batch: int) -> Message:
    return (
        f"{workload}: {samples} samples do not fill one batch of {batch}",
        "make the batch smaller or the data larger",
    )


def tokens_differ(workload: str, wanted: int | None, given: int | None) -> Message:
    reads = f"an Embedding of {wanted} tokens" if wanted else "no Embedding"
    has = f"a vocabulary of {given}" if given else "no tokens"
    return (
        f"{workload}: the model begins with {reads} and the data has {has}",
        'write Data(…, values="tokens", vocabulary=N) beside Embedding(N, …)',
    )


# A workload that the ledger keeps.


def kept_not_readable(why: str) -> Message:
    return (
        f"a kept workload cannot be read: {why}",
        "another version of tensorstone wrote it: read it with that version",
    )


NOT_A_WORKLOAD = "it is not a workload"
