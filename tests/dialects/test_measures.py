"""Lines and decisions of a program, counted by hand in the margin."""

from textwrap import dedent

import pytest

from tensorstone.dialects.measures import code_complexity, code_lines

PROGRAM = dedent(
    '''
    """A program."""

    import sys  # 1


    # A comment counts for nothing.
    class Net:  # 2
        """Nor does a docstring
        of two lines."""

        @property  # 3
        def size(self):  # 4, one way
            return sum(  # 5
                [
                    1,  # 6
                ]
            )


    def train(batches):  # 7, one way
        losses = [b for b in batches if b]  # 8, two decisions
        for loss in losses:  # 9, one decision
            if loss > 1 and loss < 2 or not loss:  # 10, three decisions
                continue  # 11
            else:  # 12
                break  # 13
        return 1 if losses else 0  # 14, one decision


    def data():
        return [file for file in sys.argv if file]


    if __name__ == "__main__":
        for _ in range(3):
            print(train(data()))
    '''
)


def test_lines_of_code_are_counted():
    assert code_lines(PROGRAM) == 14


def test_functions_and_decisions_are_counted():
    assert code_complexity(PROGRAM) == 2 + 7


def test_blank_lines_and_comments_change_nothing():
    spaced = PROGRAM.replace("\n    return 1", "\n\n\n    # why\n    return 1")

    assert spaced != PROGRAM
    assert code_lines(spaced) == code_lines(PROGRAM)
    assert code_complexity(spaced) == code_complexity(PROGRAM)


def test_a_layer_more_is_a_line_more_however_the_model_is_written():
    for model in ("net = Sequential(\n    [\n{}    ]\n)\n", "net = Net()\n{}"):
        lines = ["    Dense(4),\n"] if "[" in model else ["net.add(Dense(4))\n"]
        assert code_lines(model.format("".join(lines * 3))) == 1 + 3


@pytest.mark.parametrize(
    ("line", "decisions"),
    [
        ("a = 1", 0),
        ("while a: a -= 1", 1),
        ("a = b or c or d", 2),
        ("a = {k: v for k in b for v in c if v if k}", 4),
        ("f = lambda x: x", 1),
        ("try: a()\nexcept KeyError: pass\nexcept ValueError: pass", 2),
        ("match a:\n    case 1: pass\n    case _: pass", 2),
        ("def f():\n    def g(): pass", 2),
    ],
)
def test_each_kind_of_decision(line, decisions):
    assert code_complexity(line) == decisions


def test_nothing_is_no_code():
    assert code_lines("") == 0
    assert code_lines('"""Only words."""\n# and a comment\n') == 0
    assert code_complexity("") == 0
