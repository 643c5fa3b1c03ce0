"""What `data` says to a person: mistakes in a workload's data (a pair: what happened, what to do
next), why a source of files was passed over (one line, printed behind the set's and the source's
names), and the notes on what a set was made into."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tensorstone.support.errors import Message
from tensorstone.support.progress import size

# Naming a set.


def no_such_set(name: str, near: str) -> Message:
    return f"there is no data set called {name!r}", near


def no_real_data(workload: str, name: str, known: Sequence[str]) -> Message:
    return (
        f"{workload}: there is no real data called {name!r}",
        "there are: " + ", ".join(known),
    )


# A set on this machine.


def not_here(name: str) -> Message:
    return f"the data set {name} is not on this machine", f"run: stone data get {name}"


def damaged(name: str) -> Message:
    return f"the data set {name} is damaged", f"run: stone data get {name}"


def cannot_keep(name: str, folder: Path, reason: str | None) -> Message:
    return (
        f"cannot keep {name} in {folder}: {reason}",
        "make room there, or set STONE_CACHE to another folder",
    )


# Lines while a set is got.


def waiting(name: str) -> str:
    return f"{name}: another stone is getting it; waiting for it to end"


def getting_again(name: str) -> str:
    return f"{name}: the local copy is damaged; getting it again"


def passed_over(name: str, source: str, reason: object) -> str:
    return f"{name}: {source}: {reason}"


# Why a source was passed over: fetching.


def no_program(name: str) -> str:
    return f"{name} is not on this machine"


def program_failed(name: str, said: str) -> str:
    return f"{name} failed: {said}"


def stalled(seconds: float) -> str:
    return f"nothing came for {seconds:.0f} s"


def http_error(file: str, code: int, reason: object) -> str:
    return f"{file}: it answered {code} {reason}"


def unreachable(reason: object) -> str:
    return f"it cannot be reached: {reason}"


def broke_off(file: str, error: object) -> str:
    return f"{file}: the download broke off: {error}"


def too_large(file: str, most: int) -> str:
    return f"{file} is larger than {size(most)}"


def incomplete(file: str, got: int, promised: str) -> str:
    return f"{file}: only {got} of {promised} bytes came"


NO_FOLDER = "there is no such folder"
NO_PACKAGE = "apt-get downloaded no package"
NO_ARCHIVE = "npm left no archive behind"

# Why a source was passed over: what it holds.


def not_there(names: Sequence[str]) -> str:
    others = f", nor {', '.join(names[1:])}" if names[1:] else ""
    return f"no {names[0]} there{others}"


def not_read(name: str, error: object) -> str:
    return f"{name} cannot be read: {error}"


def files_not_read(error: object) -> str:
    return f"its files cannot be read: {error}"


def wrong_checksum(found: str, expected: str) -> str:
    return f"its content has checksum {found}, expected {expected}"


def unpacks_to_more(name: str, most: int) -> str:
    return f"{name} unpacks to more than {size(most)}"


def outside(archive: str, member: str) -> str:
    return f"{archive} holds {member!r}, a path outside of it"


def no_plain_file(archive: str, member: str) -> str:
    return f"{archive} holds {member!r}, which is not a plain file"


def lacks(archive: str, file: str) -> str:
    return f"{archive} has no {file}"


def cut_image(name: str) -> str:
    return f"{name} ends in the middle of an image"


def labels_differ(name: str, labels: int, images: int) -> str:
    return f"{name} has {labels} labels for {images} images"


def no_sheet(name: str, width: int, height: int, mode: str) -> str:
    return f"{name} is {width}×{height} {mode}, not a sheet of images"


def no_weather_table(name: str) -> str:
    return f"{name} is not the table of pm2.5 and weather"


def no_reviews(name: str, part: str) -> str:
    return f"{name} has no reviews in {part}/neg or {part}/pos"


def not_idx(name: str) -> str:
    return f"{name} is not an idx file of bytes"


def cut_header(name: str) -> str:
    return f"{name} ends in its header"


def wrong_length(name: str, there: int, promised: int) -> str:
    return f"{name} holds {there} bytes, and its header promises {promised}"


# A workload that does not fit its set.


def too_few_samples(workload: str, asked: int, name: str, there: int) -> Message:
    return (
        f"{workload} asks for {asked:,} training samples of {name}, which has {there:,}",
        f"write Data({name!r}, samples={there:_}, …)",
    )


def wrong_number_of_samples(
    workload: str, asked: int, name: str, least: int, most: int, lags: int
) -> Message:
    return (
        f"{workload} asks for {asked:,} training samples of {name}, "
        f"which has {least} to {most:,} with {lags} lags",
        f"write Data({name!r}, samples={most:_}, …), or another number between them",
    )


def unfit(workload: str, inputs: object, outputs: object, name: str, wants: str) -> Message:
    return (
        f"{workload}: the model reads {inputs} and gives {outputs}, and {name} wants {wants}",
        "change the model's input or its last layer, or name another set (stone list data)",
    )


WANTS_LAGS = "inputs (1, lags), (lags, 1) or (lags,), and one output"
WANTS_TEXT = 'tokens (time,) or vectors (time, features), and "vocabulary"'
WANTS_ONE_SCORE = "one score, for the second class"


def wants_images(shape: tuple[int, ...], flat: int) -> str:
    return f"inputs {shape}, or ({flat},)"


def wants_features(count: int) -> str:
    return f"{count} inputs and one output"


def wants_scores(classes: int) -> str:
    return f"a score for each of its {classes} classes"


def wants_classes(classes: int, loss: str) -> str:
    return f"a loss over its {classes} classes, not {loss}"


# Notes: what a set was made into.


def note_images(values: str, samples: int, there: int, tested: int) -> str:
    which = f"the first {samples:,} of {there:,}" if samples < there else f"all {there:,}"
    return f"{values}; {which} training images, judged on {tested:,} others"


STANDARDISED = "pixels standardised by channel, as the training images are spread"
RAW_PIXELS = "raw pixels, 0 to 255"


def scaled_pixels(low: float, high: float) -> str:
    return f"pixels from {low:g} to {high:g}"


def note_linear(features: int, samples: int, tested: int) -> str:
    return (
        f"y = Σ (w·x + b) of {features:,} normal numbers, no noise; {samples:,} samples, "
        f"judged on {tested:,} others"
    )


def note_series(lags: int, begin: str, gaps: str, trained: int, tested: int) -> str:
    return (
        f"{lags} hourly lags of pm2.5 from {begin}, {gaps}, standardised as the training hours "
        f"are spread; {trained:,} hours, judged on the {tested:,} after them"
    )


def gaps(count: int) -> str:
    return f"{count} missing hours filled with the last one measured" if count else "no gaps"


def note_text(length: int, vocabulary: int, features: int | None, samples: int, tested: int) -> str:
    vectors = f"; each word a fixed random vector of {features}" if features else ""
    return (
        f"the last {length} tokens, zeros on the right; vocabulary {vocabulary:,}, by frequency"
        f"{vectors}; {samples:,} shuffled reviews, judged on {tested:,} others"
    )
