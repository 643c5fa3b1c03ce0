"""The table of Beijing's air, one row an hour, as CSV; `NA` where nothing was measured."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from tensorstone.data import messages
from tensorstone.data.content import Arrays
from tensorstone.data.formats.unpacking import pick, read
from tensorstone.data.refused import DataRefused

FILES = ("PRSA_data_2010.1.1-2014.12.31.csv", "beijing_pm25.csv")
WHEN = ("year", "month", "day", "hour")
WEATHER = ("DEWP", "TEMP", "PRES", "Iws", "Is", "Ir")
WINDS = ("NE", "NW", "SE", "cv")  # cv: variable, or no wind


def decode(folder: Path, most: int) -> Arrays:
    """When (year, month, day, hour), pm2.5 (NaN where missing), weather, and the wind's number."""
    import numpy as np

    path = pick(folder, *FILES)
    rows = list(csv.DictReader(io.StringIO(read(path, most).decode("utf-8"))))
    if not rows or not {*WHEN, *WEATHER, "pm2.5", "cbwd"} <= set(rows[0]):
        raise DataRefused(messages.no_weather_table(path.name))
    return {
        "when": np.array([[row[name] for name in WHEN] for row in rows]).astype(np.int64),
        "pm25": np.array([_number(row["pm2.5"]) for row in rows]),
        "weather": np.array([[_number(row[name]) for name in WEATHER] for row in rows]),
        "wind": np.array([WINDS.index(row["cbwd"]) for row in rows], np.int64),
    }


def _number(text: str) -> float:
    return float("nan") if text == "NA" else float(text)
