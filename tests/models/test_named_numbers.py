"""Numbers that remember how they were written."""

import operator

from hypothesis import assume, given
from hypothesis import strategies as st

from tensorstone.models.named import Named, free_names, plain, restated, source

VALUES = {"a": 6, "b": 2, "wide": 5}
OPERATIONS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv}


@st.composite
def numbers(draw: st.DrawFn, depth: int = 4) -> int:
    """A named number made of others by arithmetic, or a plain one."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        if draw(st.booleans()):
            return draw(st.integers(-9, 9))
        name = draw(st.sampled_from(sorted(VALUES)))
        return Named(VALUES[name], name)
    left, right = draw(numbers(depth=depth - 1)), draw(numbers(depth=depth - 1))
    sign = draw(st.sampled_from(sorted(OPERATIONS)))
    assume(sign != "//" or right != 0)
    return OPERATIONS[sign](left, right)


@given(numbers())
def test_the_text_evaluates_to_the_number(number: int) -> None:
    assert eval(source(number), {}, dict(VALUES)) == plain(number)


@given(numbers())
def test_a_result_is_named_when_an_operand_was(number: int) -> None:
    assert isinstance(number, Named) == bool(free_names(number))


@given(numbers(), st.integers(-9, 9))
def test_restating_replaces_names(number: int, n: int) -> None:
    same = {name: Named(value, f"({name} + {n} - {n})") for name, value in VALUES.items()}
    again = restated(number, same)
    assert plain(again) == plain(number)
    assert eval(source(again), {}, dict(VALUES)) == plain(number)
    assert type(restated(number, VALUES)) is int


def test_people_read_the_text() -> None:
    a, b = Named(6, "a"), Named(2, "b")
    assert source(a + b * 2 + 1) == "a + b * 2 + 1"
    assert source((a + b) * 2) == "(a + b) * 2"
    assert source(10 - (a - b)) == "10 - (a - b)"
    assert source(a * (b * 3)) == "a * b * 3"
    assert source(a * (b // 2)) == "a * (b // 2)"
    assert source(7) == "7"


def test_fractions_are_not_cut_off() -> None:
    assert Named(5, "a") * 0.5 == 2.5
    assert Named(5, "a") / 2 == 2.5


def test_an_unknown_name_leaves_a_plain_number() -> None:
    assert type(restated(Named(5, "elsewhere"), {"a": 5})) is int
