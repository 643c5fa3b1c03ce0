"""Between rows of the ledger and values. The columns are those of the values' own fields. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import astuple, fields

from tensorstone.ledger import messages
from tensorstone.results.codec import Damaged, checked, from_json, to_json
from tensorstone.results.outcome import Outcome
from tensorstone.results.trial import Block, Deployment, Epoch, Feeding, Trial, TrialSpec

# Of a trial, what has tables of its own or is said in three columns; the rest is a column each.
_APART = ("dialect", "blocks", "epochs", "outcome")
_JSON: dict[str, Any] = {
    "notes": tuple[str, ...],
    "feeding": Feeding,
    "worked_feeding": Feeding,
    "deployment": Deployment,
}
_OUTCOME = tuple(field.name for field in fields(Outcome))


def columns(kind: type[Struct]) -> tuple[str, ...]:
    """The columns of a value that is one row."""
    return tuple(field.name for field in fields(kind))


BLOCK_COLUMNS, EPOCH_COLUMNS = columns(Block), columns(Epoch)
# What a trial is known by is written when it begins, the rest again and again until it ends.
TRIAL_KEY = tuple(name for name in columns(TrialSpec) if name != "dialect")
TRIAL_COLUMNS = tuple(
    name for name in columns(Trial) if name not in _APART and name not in TRIAL_KEY
)


def quoted(names: Iterable[str]) -> str:
    """Columns as SQL: `group` is a word of its language."""
    return ", ".join(f'"{name}"' for name in names)


def trial_values(trial: Trial) -> tuple[Any, ...]:
    """In the order of `TRIAL_COLUMNS`."""
    found = []
    for name in TRIAL_COLUMNS:
        value = getattr(trial, name)
        found.append(to_json(value) if name in _JSON and value is not None else value)
    return tuple(found)


def block_values(block: Block) -> tuple[Any, ...]:
    return astuple(block)


def trial_of(row: Mapping[str, Any], blocks: tuple[Block, ...], epochs: tuple[Epoch, ...]) -> Trial:
    """The trial of a row; `Damaged` where the row is not one."""
    plain = {name: row[name] for name in (*TRIAL_COLUMNS, *TRIAL_KEY)}
    said: dict[str, Any] = {
        name: from_json(_JSON[name], value) if name in _JSON and value is not None else value
        for name, value in plain.items()
    }
    outcome = checked(Outcome, {name: row[name] for name in _OUTCOME})
    simple = {name: value for name, value in said.items() if name not in _JSON}
    made = checked(Trial, {**simple, "dialect": row["dialect"]})
    return msgspec.structs.replace(
        made,
        **{name: value for name, value in said.items() if name in _JSON},
        outcome=outcome,
        blocks=blocks,
        epochs=epochs,
    )


_BLOCK_TYPE: Any = tuple[tuple(field.type for field in fields(Block)[:-1])]  # type: ignore[misc]


def blocks_of(rows: Sequence[Sequence[Any]]) -> tuple[Block, ...]:
    """Many at once: each row is the columns in their order, `disturbed` last."""
    known = checked(list[_BLOCK_TYPE], [tuple(row[:-1]) for row in rows])
    flags = [row[-1] for row in rows]
    if not set(flags) <= {0, 1}:
        raise Damaged(messages.NEITHER_0_NOR_1)
    made: Any = Block
    return tuple(made(*values, bool(flag)) for values, flag in zip(known, flags, strict=True))


def epoch_of(row: Mapping[str, Any]) -> Epoch:
    return checked(Epoch, {name: row[name] for name in EPOCH_COLUMNS})
