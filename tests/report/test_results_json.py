"""`--json`: what JSON cannot say is null, and the meaning is not lost with it."""

from __future__ import annotations

import json
import math

from made_up import CELL, comparison

from tensorstone.report.as_json import results_json
from tensorstone.results.comparison import BreakEven, Overtaking


def test_who_may_never_be_overtaken_is_said_without_infinity() -> None:
    found = Overtaking("a/b", "c/d", BreakEven(70.0, 10.0, math.inf, 5))
    assert found.never
    printed = json.dumps(results_json([comparison([CELL], overtakings=(found,))]), allow_nan=False)
    (said,) = json.loads(printed)["runs"][0]["overtakings"]
    assert (said["never"], said["low"], said["high"], said["samples"]) == (True, 10.0, None, 5)


def test_who_will_be_overtaken_is_said_with_its_interval() -> None:
    found = Overtaking("a/b", "c/d", BreakEven(70.0, 10.0, 90.0, 5))
    (said,) = results_json([comparison([CELL], overtakings=(found,))])["runs"][0]["overtakings"]
    assert (said["never"], said["high"]) == (False, 90.0)
