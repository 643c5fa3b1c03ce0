"""The one way of values to and from text and bytes: every reader checks what it is given."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

T = TypeVar("T")


class Damaged(ValueError):
    """What was kept or sent is not what it should be; the message says where."""


def to_json(value: Any) -> str:
    """A value as JSON. Infinity and what is no number become null."""
    return msgspec.json.encode(value).decode()


def from_json(kind: type[T], text: str | bytes) -> T:
    """The value, checked field by field; `Damaged` where it is not one."""
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.MsgspecError, UnicodeError, RecursionError, ValueError) as error:
        raise Damaged(str(error)) from None


def to_bytes(value: Any) -> bytes:
    """The same as bytes, infinity included."""
    return msgspec.msgpack.encode(value)


def from_bytes(kind: type[T], data: bytes) -> T:
    try:
        return msgspec.msgpack.decode(data, type=kind)
    except (msgspec.MsgspecError, UnicodeError, RecursionError, ValueError) as error:
        raise Damaged(str(error)) from None


def checked(kind: type[T], fields: Any) -> T:
    """The value that plain fields (a database row's, say) make; `Damaged` where they make none."""
    try:
        return msgspec.convert(fields, type=kind, strict=True)
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        raise Damaged(str(error)) from None


def plain(value: Any) -> Any:
    """A value as dictionaries, lists, numbers and words."""
    return msgspec.to_builtins(value, str_keys=True)
